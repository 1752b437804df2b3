import assert from 'node:assert/strict'
import test from 'node:test'
import { signInAtIssuer } from '#core/http/sessions/oidc/testing/start-issuer.ts'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

// As in a second terminal, which waits for the consent.
const waiting = `npx meshctl mcp grant helpdesk --wait > granted 2> address &
until grep http address; do sleep 0.2; done`

test(
  'the commands of docs/how-to/consent-to-tools.md connect a server, pause a run, resume it by a consent, and revoke',
  needs('kubectl'),
  async (t) => {
    const at = await startAuthorizationServer(t, { account: 'dev' })
    const server = await startProtectedServer(t, at)
    const shell = createPageShell(t, 'consent-to-tools.md', await sharedEmbedded())
    await shell.run(`TOOLS_URL=${server.url}`)
    /** The browser: signs in at the printed address, and posts its redirect as the console does. */
    const consent = async (printed: string): Promise<void> => {
      const [address = ''] = new RegExp(`${at.issuer}\\S+`).exec(printed) ?? []
      const body = JSON.stringify(Object.fromEntries((await signInAtIssuer(address)).searchParams))
      await shell.run(`api "$URL/api/mcp/oauth/complete" -d '${body}'`)
    }
    const [connect = '', wait = ''] = shell.blocks('Connect the server')
    await consent(await shell.run(connect))
    assert.match(await shell.run(wait), /^default\thelpdesk\ttrue\t/m)
    await shell.section('Give the tools to an agent')
    const paused = (await shell.section('Run it as another person')).join('\n')
    assert.match(paused, /"pauseReason":"auth_required"/)
    assert.match(paused, /"path":"\/consent\/default\/helpdesk\?run=/)
    assert.deepEqual(server.calls, [])
    at.as('root')
    await consent(paused)
    const resumed = (await shell.section('Consent')).join('\n')
    assert.match(resumed, /"state":"succeeded"/)
    assert.match(resumed, /"output":"Echoed\."/)
    assert.deepEqual([server.calls, server.accounts.at(-1)], [['echo'], 'root'])
    const revoked = (await shell.section('Revoke it')).join('\n')
    assert.match(revoked, /grant\/default\/helpdesk revoked/)
    assert.doesNotMatch(revoked, /^default\thelpdesk/m)

    await consent(await shell.run(waiting))
    assert.match(await shell.run('until grep helpdesk granted; do sleep 0.2; done'), /^default\thelpdesk\ttrue\t/m)
  },
)
