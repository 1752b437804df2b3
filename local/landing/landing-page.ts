import { dirname } from 'node:path'
import { tryCommands } from './landing-commands.ts'
import type { LandingFacts } from './landing-commands.ts'

/** Style of the page; light and dark follow the browser. */
export const landingStyle = `
:root { color-scheme: light dark; --ink: light-dark(#1a1d21, #e8eaed); --dim: light-dark(#525b66, #a6b0bb);
  --paper: light-dark(#fbfbfa, #14171a); --card: light-dark(#fff, #1c2024); --line: light-dark(#d9dce0, #343b42);
  --mark: light-dark(#0b57c2, #7cbaff); --good: light-dark(#1a6b34, #6fd08c); --bad: light-dark(#a3260f, #ff9d8a); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .6rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p { margin: .4rem 0; } .dim { color: var(--dim); } a { color: var(--mark); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; margin: 1.2rem 0 0; }
.card p { margin: 0; } .good { color: var(--good); } .bad { color: var(--bad); }
ul.links { list-style: none; padding: 0; margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .6rem 1.5rem; }
.links span { display: block; color: var(--dim); font-size: .9rem; }
.command { position: relative; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 5.2rem .8rem 1rem; margin: 0;
  font: 13px/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
button { font: inherit; font-size: .85rem; color: var(--ink); background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; padding: .15rem .6rem; cursor: pointer; position: absolute; top: .5rem; right: .5rem; }
button:hover { border-color: var(--mark); } :focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; }
`

// Content of a response is set as text, never as markup. The session is a cookie that no script can read.
/** Exchanges the code of the fragment once; shows the user and the agents, and polls for changes. */
export const landingScript = `
const byId = (id) => document.getElementById(id)
const code = new URLSearchParams(location.hash.slice(1)).get('code')
history.replaceState(null, '', location.pathname)
let signedIn = false
const show = (id, text, kind) => {
  if (byId(id).textContent !== text) byId(id).textContent = text
  byId(id).className = kind
}
const exchange = () => fetch('/session', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-mesh-session': '1' },
  body: JSON.stringify({ code }),
})
async function signIn() {
  const answer = code ? await exchange() : await fetch('/session')
  const { session } = answer.ok ? await answer.json() : { session: null }
  signedIn = session !== null
  const why = code ? 'the code of this address was used or has expired' : 'this browser has no session'
  const text = signedIn
    ? 'Signed in as ' + session.username + ' until ' + new Date(session.endsAt).toLocaleString() + '.'
    : 'Not signed in: ' + why + '. mesh open prints a new address; the commands below need none.'
  show('who', text, 'dim')
}
const isReady = (agent) => (agent.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')
async function look() {
  try {
    const answer = signedIn ? await fetch('/api/agents?limit=200') : await fetch('/', { method: 'HEAD' })
    if (answer.status === 401) return await signIn()
    if (!answer.ok) throw new Error(String(answer.status))
    show('live', 'Running', 'good')
    if (signedIn) {
      const { items, nextCursor } = await answer.json()
      const names = items.slice(0, 12).map((agent) => agent.metadata.namespace + '/' + agent.metadata.name + (isReady(agent) ? '' : ' (not ready)'))
      const more = nextCursor || items.length > names.length ? ' and more' : ''
      const count = items.filter(isReady).length + ' of ' + items.length + (nextCursor ? '+' : '') + ' agents ready: '
      show('agents', items.length === 0 ? 'No agents yet.' : count + names.join(', ') + more + '.', '')
    }
  } catch {
    show('live', 'mesh does not answer. It may have been stopped.', 'bad')
  }
}
for (const box of document.querySelectorAll('.command')) {
  const button = box.querySelector('button')
  button.addEventListener('click', async () => {
    const done = await navigator.clipboard.writeText(box.querySelector('pre').textContent).then(() => 'Copied', () => 'Select it')
    button.textContent = done
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
}
signIn().catch(() => undefined).then(look)
setInterval(() => { if (!document.hidden) look() }, 5000)
`

const people = [
  ['developer', 'works with agents and runs in default and demo'],
  ['viewer', 'reads agents and runs in default and demo'],
  ['other-tenant', 'a developer of the namespace other'],
  ['operator', 'operates the whole installation, with the audit log'],
  ['admin', 'cluster-admin'],
] as const

/** The page at `/`: state, addresses and commands. */
export function landingPage(facts: LandingFacts): string {
  const commands = tryCommands(facts).map(
    ({ what, command }, index) => `<h3 id="c${index}">${escape(what)}</h3>
<div class="command"><pre>${escape(command)}</pre><button type="button" aria-describedby="c${index}">Copy</button></div>`,
  )
  const rows = people.map(([name, may]) => `<tr><th scope="row"><code>${name}</code></th><td>${escape(may)}</td></tr>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="/favicon.ico"><title>mesh</title>
<style>${landingStyle}</style></head>
<body><main>
<h1>mesh</h1>
<p class="dim">On this machine only, for trying and developing, not for production.</p>
<div class="card" role="status"><p id="live" class="good">Running</p><p id="agents"></p><p id="who" class="dim"></p></div>
<h2>Where things are</h2>
<ul class="links">${links(facts).join('')}</ul>
<h2>Try it</h2>
${commands.join('\n')}
<h2>People</h2>
<p>Each has a token in <code>tokens.json</code> and a context in <code>kubeconfig</code>, both in <code>${escape(dirname(facts.tokensFile))}</code>.</p>
<table><thead><tr><th scope="col">Name</th><th scope="col">May</th></tr></thead><tbody>${rows.join('')}</tbody></table>
</main><script>${landingScript}</script></body></html>
`
}

function links({ gatewayUrl, adminUrl }: LandingFacts): readonly string[] {
  const link = (href: string, name: string, what: string): string =>
    `<li><a href="${escape(href)}">${escape(name)}</a><span>${escape(what)}</span></li>`
  return [
    link('/docs', 'API reference', 'every route, with who may call it'),
    link('/console', 'Console', 'the first pages, with the session of this page'),
    `<li><code>${escape(gatewayUrl)}/v1</code><span>model gateway, for any OpenAI client</span></li>`,
    link(`${adminUrl}/readyz?verbose`, 'Health', 'what works and what does not'),
    link(`${adminUrl}/metrics`, 'Metrics', 'for Prometheus'),
  ]
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
