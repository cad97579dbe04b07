/** The page of the reference. It holds no script of its own, so that its policy can forbid any. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Usher API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>
      The reference needs JavaScript. What it shows is in <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.
    </noscript>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** Scalar's configuration: nothing that would ask another host, and nothing that invites to. */
const configuration = {
  url: '/api/v1/openapi.json',
  // System fonts; the default ones are on fonts.scalar.com.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // Requests go from the page to the platform.
  proxyUrl: '',
  documentDownloadType: 'direct',
  defaultOpenAllTags: true,
  showOperationId: true,
  modelsSectionLabel: 'Schemas',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
}

export const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`

/** What the page may do: its scripts, the description and the platform's own API, and nothing of anybody else. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  // Scalar sets styles of elements, for which there is neither nonce nor hash.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
