import { type Html, html } from './html.ts'

/** The paper's illustrations: drawn here, so that the site needs nothing from elsewhere. */
const drawings: Record<string, string> = {
  ferry: `
    <defs><linearGradient id="f1" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#14213d"/><stop offset="1" stop-color="#41597f"/></linearGradient></defs>
    <rect width="640" height="400" fill="url(#f1)"/>
    <circle cx="470" cy="108" r="58" fill="#f6e7c1"/><circle cx="452" cy="96" r="9" fill="#ead7a6"/><circle cx="488" cy="124" r="13" fill="#ead7a6"/>
    <g fill="#f6e7c1"><circle cx="90" cy="60" r="2"/><circle cx="180" cy="110" r="1.6"/><circle cx="240" cy="44" r="2"/><circle cx="330" cy="84" r="1.4"/><circle cx="590" cy="50" r="2"/><circle cx="60" cy="150" r="1.4"/><circle cx="560" cy="170" r="1.6"/></g>
    <path d="M0 240h60v-34h34v-22h30v56h40v-70l16-18 16 18v70h36v-40h44v40h50v-26h30v26h300v40H0z" fill="#0e182e"/>
    <g fill="#f3b562"><rect x="70" y="216" width="6" height="8"/><rect x="104" y="200" width="6" height="8"/><rect x="174" y="186" width="6" height="9"/><rect x="186" y="206" width="6" height="9"/><rect x="246" y="214" width="6" height="8"/><rect x="262" y="214" width="6" height="8"/><rect x="336" y="224" width="6" height="8"/></g>
    <rect y="262" width="640" height="138" fill="#1d3557"/>
    <path d="M424 268h92l-14 12h-64zM434 290h72l-18 10h-36zM446 312h48l-12 8h-24z" fill="#f6e7c1" opacity=".7"/>
    <path d="M150 262h300l-34 56H190z" fill="#c8553d"/><path d="M160 280h282l-8 12H168z" fill="#f4efe6"/>
    <path d="M196 222h196l18 40H184z" fill="#f4efe6"/><path d="M232 190h112l12 32H224z" fill="#e4dccb"/><rect x="268" y="150" width="34" height="40" fill="#c8553d"/><rect x="268" y="160" width="34" height="8" fill="#14213d"/>
    <g fill="#f3b562"><rect x="210" y="234" width="22" height="14" rx="3"/><rect x="244" y="234" width="22" height="14" rx="3"/><rect x="278" y="234" width="22" height="14" rx="3"/><rect x="312" y="234" width="22" height="14" rx="3"/><rect x="346" y="234" width="22" height="14" rx="3"/><rect x="242" y="200" width="92" height="10" rx="3"/></g>
    <g stroke="#8fb0cf" stroke-width="3" stroke-linecap="round" opacity=".6"><path d="M60 336h90M210 348h130M420 340h120M30 372h120M250 380h90M440 372h150"/></g>`,
  library: `
    <rect width="640" height="400" fill="#3c2a21"/><rect x="30" y="24" width="580" height="340" fill="#5a3d2b"/>
    <path d="M230 364V170a90 90 0 0 1 180 0v194z" fill="#f2d9a0"/><path d="M244 364V172a76 76 0 0 1 152 0v192z" fill="#9cc5c9"/>
    <path d="M244 300c40-30 60 10 90-16 24-20 40-6 62-14v94H244z" fill="#6a994e"/><path d="M320 96v268M244 210h152" stroke="#f2d9a0" stroke-width="8"/>
    <g fill="#3c2a21"><rect x="44" y="116" width="172" height="8"/><rect x="44" y="206" width="172" height="8"/><rect x="44" y="296" width="172" height="8"/><rect x="424" y="116" width="172" height="8"/><rect x="424" y="206" width="172" height="8"/><rect x="424" y="296" width="172" height="8"/></g>
    <g><rect x="50" y="46" width="18" height="70" fill="#c8553d"/><rect x="70" y="56" width="14" height="60" fill="#e9c46a"/><rect x="86" y="50" width="20" height="66" fill="#2a9d8f"/><rect x="108" y="60" width="14" height="56" fill="#f4efe6"/><path d="M126 62l15-4 14 56-15 4z" fill="#bc4749"/><rect x="164" y="48" width="20" height="68" fill="#457b9d"/><rect x="186" y="58" width="16" height="58" fill="#e9c46a"/>
    <rect x="50" y="142" width="16" height="64" fill="#457b9d"/><rect x="68" y="150" width="20" height="56" fill="#f4efe6"/><rect x="90" y="138" width="14" height="68" fill="#c8553d"/><rect x="106" y="148" width="18" height="58" fill="#6a994e"/><rect x="126" y="140" width="22" height="66" fill="#e9c46a"/><rect x="152" y="150" width="14" height="56" fill="#2a9d8f"/><rect x="168" y="144" width="18" height="62" fill="#bc4749"/>
    <rect x="50" y="234" width="20" height="62" fill="#2a9d8f"/><rect x="72" y="228" width="16" height="68" fill="#bc4749"/><rect x="90" y="240" width="18" height="56" fill="#457b9d"/><rect x="128" y="284" width="64" height="12" fill="#e9c46a"/><rect x="134" y="272" width="54" height="12" fill="#f4efe6"/><rect x="130" y="260" width="58" height="12" fill="#c8553d"/>
    <rect x="430" y="50" width="16" height="66" fill="#2a9d8f"/><rect x="448" y="44" width="20" height="72" fill="#e9c46a"/><rect x="470" y="56" width="14" height="60" fill="#bc4749"/><rect x="486" y="48" width="18" height="68" fill="#f4efe6"/><rect x="520" y="52" width="22" height="64" fill="#c8553d"/><rect x="544" y="58" width="16" height="58" fill="#457b9d"/><rect x="562" y="46" width="20" height="70" fill="#6a994e"/>
    <rect x="430" y="146" width="22" height="60" fill="#bc4749"/><rect x="454" y="138" width="14" height="68" fill="#f4efe6"/><rect x="470" y="148" width="18" height="58" fill="#457b9d"/><path d="M492 150l16-5 16 57-16 4z" fill="#e9c46a"/><rect x="536" y="142" width="18" height="64" fill="#2a9d8f"/><rect x="556" y="150" width="22" height="56" fill="#c8553d"/>
    <rect x="430" y="230" width="18" height="66" fill="#e9c46a"/><rect x="450" y="238" width="20" height="58" fill="#6a994e"/><rect x="472" y="232" width="14" height="64" fill="#c8553d"/><rect x="540" y="268" width="26" height="28" rx="4" fill="#9cc5c9"/><path d="M553 268c-14-20-2-34 0-38 2 4 14 18 0 38z" fill="#6a994e"/></g>
    <rect y="364" width="640" height="36" fill="#2c1e17"/>`,
  marsh: `
    <rect width="640" height="400" fill="#f5e6c8"/><circle cx="168" cy="110" r="44" fill="#f3b562"/>
    <path d="M0 190c80-60 150-50 230-14s150-60 250-30 120 30 160 20v120H0z" fill="#b7c9a8"/><path d="M0 230c120-40 190 6 300-8s220-40 340-4v90H0z" fill="#86a788"/>
    <rect y="266" width="640" height="134" fill="#5b8a8a"/><path d="M0 284c160-16 250 14 380 4s190-8 260 0v-22H0z" fill="#86a788"/>
    <path d="M146 300h46l-8 8h-30zM152 318h34l-6 6h-22z" fill="#f3b562" opacity=".75"/>
    <g stroke="#2f4f4a" stroke-width="5" stroke-linecap="round" fill="none"><path d="M50 400c4-60-4-90 6-150M78 400c-2-50 8-80 0-130M106 400c6-40 2-80 14-110M560 400c-4-60 6-100-4-160M590 400c2-60-8-80 2-140M618 400c-6-40 2-80-8-110M532 400c4-40-6-60-2-90"/></g>
    <g fill="#7a4b2a"><rect x="50" y="222" width="12" height="40" rx="6"/><rect x="72" y="244" width="12" height="38" rx="6"/><rect x="550" y="212" width="12" height="40" rx="6"/><rect x="586" y="232" width="12" height="38" rx="6"/></g>
    <g fill="none" stroke="#f4efe6" stroke-width="9" stroke-linecap="round"><path d="M380 300c-34-4-40-40-16-52 22-10 26-30 10-42"/></g>
    <path d="M378 304c26 4 62-6 74-30-30 4-62-10-84 4-12 8-8 24 10 26z" fill="#f4efe6"/><path d="M374 202l-34 8 30 6z" fill="#d98032"/><path d="M396 302v58M412 300v58" stroke="#2f4f4a" stroke-width="4"/>
    <g stroke="#d9ebe8" stroke-width="3" stroke-linecap="round" opacity=".7"><path d="M210 330h80M300 352h160M160 372h110M430 384h70"/></g>`,
  bread: `
    <rect width="640" height="400" fill="#4a2618"/><g fill="#5d3222"><rect x="0" y="0" width="150" height="46"/><rect x="156" y="0" width="150" height="46"/><rect x="312" y="0" width="150" height="46"/><rect x="468" y="0" width="172" height="46"/><rect x="0" y="52" width="80" height="46"/><rect x="560" y="52" width="80" height="46"/><rect x="0" y="104" width="120" height="46"/><rect x="520" y="104" width="120" height="46"/><rect x="0" y="156" width="90" height="46"/><rect x="550" y="156" width="90" height="46"/><rect x="0" y="208" width="120" height="46"/><rect x="520" y="208" width="120" height="46"/></g>
    <path d="M130 262V190a190 130 0 0 1 380 0v72z" fill="#2b140c"/><path d="M160 262v-62a160 106 0 0 1 320 0v62z" fill="#e76f2e"/><path d="M200 262v-40a120 74 0 0 1 240 0v40z" fill="#f6b04c"/><path d="M252 262c-4-40 28-40 24-76 30 18 24 44 44 48 6-14 2-24-2-34 34 18 48 40 44 62z" fill="#fbe3a2"/>
    <rect y="262" width="640" height="138" fill="#9c6b43"/><rect y="262" width="640" height="12" fill="#c08a5a"/>
    <g fill="#d08c46"><ellipse cx="180" cy="330" rx="104" ry="44"/><ellipse cx="440" cy="336" rx="120" ry="40"/></g><g fill="#e7b36a"><ellipse cx="180" cy="320" rx="96" ry="36"/><ellipse cx="440" cy="326" rx="112" ry="32"/></g>
    <g stroke="#fbe9c6" stroke-width="8" stroke-linecap="round"><path d="M130 330l20-26M168 334l20-28M206 330l20-26M380 336l26-22M424 338l26-24M468 336l26-22"/></g>`,
  hills: `
    <rect width="640" height="400" fill="#fbd6a4"/><circle cx="420" cy="176" r="70" fill="#f08a4b"/><circle cx="420" cy="176" r="100" fill="#f08a4b" opacity=".2"/>
    <path d="M0 210c90-60 170-40 250-4 110 50 210-50 390-16v210H0z" fill="#d9895b"/><path d="M0 260c140-50 230 10 330 10s200-60 310-30v160H0z" fill="#a65d57"/><path d="M0 310c120-30 210 20 320 14s220-40 320-10v86H0z" fill="#5f3a4a"/>
    <path d="M300 400c-10-40 90-40 70-76-16-28-110-18-96-50 10-24 84-18 92-40 6-16-26-22-22-34" fill="none" stroke="#fbe9c6" stroke-width="12" stroke-linecap="round"/>
    <g fill="#3b2433"><path d="M96 330c-26-30-18-76 0-92 18 16 26 62 0 92z"/><rect x="93" y="310" width="6" height="40"/><path d="M140 344c-18-22-12-54 0-66 12 12 18 44 0 66z"/><rect x="138" y="330" width="5" height="30"/><path d="M556 336c-24-28-16-70 0-86 16 16 24 58 0 86z"/><rect x="553" y="318" width="6" height="36"/></g>
    <g fill="none" stroke="#5f3a4a" stroke-width="4" stroke-linecap="round"><path d="M150 96q12-12 24 0q12-12 24 0M220 130q9-9 18 0q9-9 18 0"/></g>`,
  clock: `
    <rect width="640" height="400" fill="#2e5a5a"/><g fill="none" stroke="#3f7272" stroke-width="3"><path d="M0 60h640M0 120h640M0 180h640M0 240h640M0 300h640M80 0v60M240 0v60M400 0v60M560 0v60M160 60v60M480 60v60M80 120v60M560 120v60M160 180v60M480 180v60M80 240v60M240 240v60M400 240v60M560 240v60"/></g>
    <path d="M0 400v-70h640v70z" fill="#1f3f40"/><path d="M0 330h640" stroke="#d9b26a" stroke-width="6"/>
    <path d="M320 0v70" stroke="#d9b26a" stroke-width="16"/><circle cx="320" cy="180" r="122" fill="#d9b26a"/><circle cx="320" cy="180" r="106" fill="#f7f1e1"/>
    <g stroke="#1f2d2d" stroke-width="8" stroke-linecap="round"><path d="M320 88v14M320 258v14M228 180h14M398 180h14"/><path d="M274 101l4 7M366 101l-4 7M241 134l7 4M399 134l-7 4M241 226l7-4M399 226l-7-4M274 259l4-7M366 259l-4-7" stroke-width="5"/></g>
    <path d="M320 180l-34-58" stroke="#1f2d2d" stroke-width="11" stroke-linecap="round"/><path d="M320 180l70 42" stroke="#1f2d2d" stroke-width="7" stroke-linecap="round"/><circle cx="320" cy="180" r="9" fill="#c8553d"/>
    <g fill="#142a2b"><circle cx="110" cy="318" r="13"/><path d="M92 400c0-50 4-66 18-66s18 16 18 66z"/><circle cx="158" cy="326" r="11"/><path d="M142 400c0-44 4-60 16-60s16 16 16 60z"/><circle cx="520" cy="314" r="14"/><path d="M500 400c0-52 6-70 20-70s20 18 20 70z"/><rect x="548" y="366" width="34" height="30" rx="4"/></g>`,
}

/** The picture of that name as an inline SVG. */
export function picture(name: string, alt: string): Html {
  return html`<svg class="picture" viewBox="0 0 640 400" preserveAspectRatio="xMidYMid slice" role="img"
    aria-label="${alt}">${{ html: drawings[name] ?? '' }}</svg>`
}
