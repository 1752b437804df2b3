/** Configuration of Scalar without calls to other hosts. Colours are the page's; light or dark mode follows the browser. */
const configuration = {
  url: '/openapi.json',
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

/** Starts the reference; in a separate file, so that no script is inline. */
export const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`

/**
 * Runs before Scalar, which passes the nonce to only one of its style elements; this adds it to the others as they are created. The policy
 * refuses style attributes set as text, and allows the same declarations through the object model.
 */
export const prepareScript = `const nonce = document.querySelector('meta[property=csp-nonce]').content
const create = Document.prototype.createElement
Document.prototype.createElement = function (name, options) {
  const element = create.call(this, name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}
const setAttribute = Element.prototype.setAttribute
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}
`

// The variables are Scalar's; the values are those of the page at /.
const STYLE = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { margin: 0; }
.light-mode { --ink: #1a1d21; --dim: #5b6470; --paper: #fbfbfa; --card: #fff; --raised: #eeefee; --line: #e2e4e7; --mark: #0b62d6;
  --green: #116b38; --red: #b3261e; --yellow: #7a5200; --blue: #0b62d6; --orange: #9a4700; --purple: #6b3fc0; }
.dark-mode { --ink: #e8eaed; --dim: #9aa4b0; --paper: #14171a; --card: #1c2024; --raised: #262b30; --line: #2d3339; --mark: #6cb2ff;
  --green: #6fd08c; --red: #ff8a80; --yellow: #f2c14e; --blue: #6cb2ff; --orange: #ffab70; --purple: #c3a6ff; }
.light-mode, .dark-mode { --scalar-color-1: var(--ink); --scalar-color-2: var(--dim); --scalar-color-3: var(--dim);
  --scalar-color-disabled: var(--dim); --scalar-color-ghost: var(--dim); --scalar-color-accent: var(--mark);
  --scalar-link-color: var(--mark); --scalar-link-color-hover: var(--mark);
  --scalar-background-1: var(--paper); --scalar-background-2: var(--card); --scalar-background-3: var(--raised);
  --scalar-background-accent: color-mix(in srgb, var(--mark) 12%, transparent); --scalar-border-color: var(--line);
  --scalar-color-green: var(--green); --scalar-color-red: var(--red); --scalar-color-yellow: var(--yellow);
  --scalar-color-blue: var(--blue); --scalar-color-orange: var(--orange); --scalar-color-purple: var(--purple);
  --scalar-button-1: var(--ink); --scalar-button-1-color: var(--paper); --scalar-button-1-hover: var(--dim);
  --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, monospace; --scalar-radius: 6px; --scalar-radius-lg: 8px;
  --scalar-custom-header-height: 3rem; }
.bar { box-sizing: border-box; height: 3rem; display: flex; gap: 1rem; align-items: center; padding: 0 1.25rem; position: sticky;
  top: 0; z-index: 10; background: var(--card, Canvas); color: var(--ink, CanvasText); border-bottom: 1px solid var(--line, GrayText); }
.bar a { color: var(--mark, LinkText); }
`

/** The page at `/docs`. Scalar reads the nonce for its styles from the meta element. */
export function docsPage(nonce: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}"><link rel="icon" href="/favicon.ico"><title>mesh API</title></head>
<body><header class="bar"><a href="/">mesh</a><span>API reference</span><a href="/openapi.json">openapi.json</a></header>
<div id="reference"></div>
<style nonce="${nonce}">${STYLE}</style>
<script src="/docs/prepare.js"></script><script src="/docs/scalar.js"></script><script src="/docs/start.js"></script></body></html>
`
}

// The one style attribute that Scalar writes as markup. `npm run test:clients` detects a further one after an update.
const ATTRIBUTE = 'sha256-LGszelMz0+v6/EfEtNYVFCYH7w05IKqvd9gau6UXRbE='

/** Policy of the page: scripts, data and images of this server only, and styles with the nonce of the response. */
export function docsPolicy(nonce: string): string {
  return `default-src 'none'; script-src 'self'; style-src 'nonce-${nonce}'; style-src-attr 'unsafe-hashes' '${ATTRIBUTE}'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`
}
