import { html } from 'ghtml'

/** For a developer's browser, at an address where nothing is: why, and where the platform is. */
export const lostPage = (message: string, platform: URL): string => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nothing is here · Usher</title>
<style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>Nothing is here</h1>
<p>${message}</p>
<p>The platform is at <a href="${platform.origin}/docs">${platform.origin}</a>; what it printed when it started names the other addresses.</p>
</html>
`
