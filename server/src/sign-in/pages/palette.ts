/** The colors of a page in one mode, as CSS has them. */
export interface Palette {
  /** Around the card, and of the card itself. */
  back: string
  card: string
  /** The button's, with what is written on it, and its edge. */
  button: string
  onButton: string
  edge: string
  /** Links, the focus ring and small marks, on card and back. */
  accent: string
}

type Rgb = readonly [number, number, number]

/** Where a tenant has no color of its own. */
const PLATFORM_COLOR = '#3b4cca'
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
const LIGHT_CARD = WHITE
// Not white, so that the card stands out in a tenant's white too.
const LIGHT_BACK: Rgb = [245, 246, 248]
const DARK_CARD: Rgb = [27, 29, 34]
const DARK_BACK: Rgb = [14, 15, 18]

/** Of text, and of what has to be seen without being read (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT_CONTRAST = 4.5
const SHAPE_CONTRAST = 3

const toRgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
const toHex = (color: Rgb): string =>
  `#${color.map(channel => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance (WCAG 2.2). */
function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map(channel => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Rgb, other: Rgb): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

/** The contrast ratio of two colors written as `#rrggbb`, 1 to 21 (WCAG 2.2). */
export const contrastRatio = (one: string, other: string): number => contrast(toRgb(one), toRgb(other))

const mix = (color: Rgb, other: Rgb, share: number): Rgb =>
  [0, 1, 2].map(at => Math.round((color[at] ?? 0) * (1 - share) + (other[at] ?? 0) * share)) as unknown as Rgb

/** The color itself where it stands out, else the nearest to it on the way to `towards` that does. */
function standingOut(color: Rgb, towards: Rgb, grounds: readonly Rgb[], least: number): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(color, towards, share)
    if (grounds.every(ground => contrast(mixed, ground) >= least)) return mixed
  }
  return towards
}

// Of pure white and pure black one always has a contrast of 4.58 at least.
const onColor = (color: Rgb): Rgb => (contrast(WHITE, color) >= TEXT_CONTRAST ? WHITE : BLACK)

function paletteOn(color: Rgb, card: Rgb, back: Rgb, towards: Rgb): Palette {
  const grounds = [card, back]
  return {
    back: toHex(back),
    card: toHex(card),
    button: toHex(color),
    onButton: toHex(onColor(color)),
    edge: toHex(standingOut(color, towards, [card], SHAPE_CONTRAST)),
    accent: toHex(standingOut(color, towards, grounds, TEXT_CONTRAST)),
  }
}

/** The colors of a tenant's pages by its own color, `#rrggbb`. Whatever it is, text keeps a contrast of 4.5:1 and the
 *  button's edge one of 3:1. */
export function palettesOf(brandColor: string | null): { light: Palette; dark: Palette } {
  const color = toRgb(brandColor ?? PLATFORM_COLOR)
  return {
    light: paletteOn(color, LIGHT_CARD, mix(color, LIGHT_BACK, 0.93), BLACK),
    dark: paletteOn(color, DARK_CARD, mix(color, DARK_BACK, 0.92), WHITE),
  }
}
