const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, mark => ENTITIES[mark] ?? mark)

/** The page that a suspended tenant answers with where a page is due. */
export function suspendedPage(tenantName: string): string {
  const name = escapeHtml(tenantName)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} is not available</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
<h1>${name} is not available</h1>
<p>This service is suspended at the moment. Please try again later.</p>
</html>
`
}
