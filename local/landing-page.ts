/** Style of the page; light and dark follow the browser. */
export const landingStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1a1d21, #e8eaed); --dim: light-dark(#5b6470, #9aa4b0);
  --paper: light-dark(#fbfbfa, #14171a); --card: light-dark(#fff, #1c2024); --line: light-dark(#e2e4e7, #2d3339); --mark: light-dark(#0b62d6, #6cb2ff); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; } p { margin: .4rem 0; } .dim { color: var(--dim); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
a { color: var(--mark); }
`

/** Exchanges the code of the fragment once, keeps the token in memory only, and shows who it is. */
export const landingScript = `
const who = document.getElementById('who')
const code = new URLSearchParams(location.hash.slice(1)).get('code')
history.replaceState(null, '', location.pathname)
async function session() {
  const answer = await fetch('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) })
  if (!answer.ok) return void (who.textContent = 'The code of this address was used or has expired; the commands below work without it.')
  const { token } = await answer.json()
  const headers = { authorization: 'Bearer ' + token }
  const me = await (await fetch('/api/whoami', { headers })).json()
  const agents = await (await fetch('/api/agents', { headers })).json()
  const names = agents.items.map(({ metadata }) => metadata.namespace + '/' + metadata.name).join(', ')
  who.textContent = 'Signed in as ' + me.username + '. Agents: ' + (names || 'none yet') + '.'
}
if (code) session()
`

/** The page at `/`: where things are, and three commands to try. */
export function landingPage(page: {
  readonly url: string
  readonly tokensFile: string
  readonly kubeconfig: string
}): string {
  const commands = threeCommands(page)
    .map(({ what, command }) => `<h2>${escape(what)}</h2>\n<pre>${escape(command)}</pre>`)
    .join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>mesh</title>
<style>${landingStyle}</style></head>
<body><main>
<h1>mesh is running</h1>
<p class="dim">On this machine only, and not for production. <a href="/docs">API reference</a></p>
<p id="who" class="dim" role="status"></p>
${commands}
</main><script>${landingScript}</script></body></html>
`
}

/** Three things to try, as the start prints them and the page shows them. */
export function threeCommands(page: {
  readonly url: string
  readonly tokensFile: string
  readonly kubeconfig: string
}) {
  const token = `TOKEN=$(node -p 'require("${page.tokensFile}").developer')`
  return [
    {
      what: 'Talk to an agent',
      command: `${token}\ncurl -s ${page.url}/api/invoke -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"agent": {"namespace": "demo", "name": "hello"}, "input": "Hi"}'`,
    },
    {
      what: 'See the same agents with kubectl, as a developer',
      command: `kubectl --kubeconfig ${page.kubeconfig} --namespace demo get agents`,
    },
    {
      what: 'Read who did what',
      command: `TOKEN=$(node -p 'require("${page.tokensFile}").operator')\ncurl -s "${page.url}/api/audit?limit=10" -H "Authorization: Bearer $TOKEN"`,
    },
  ] as const
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
