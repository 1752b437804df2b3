import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openSettings, readSettings } from '#core/config/settings.ts'
import { oidcOf } from '#core/http/sessions/oidc/create-oidc.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test('the settings of docs/how-to/sign-in.md are accepted, and make the sign-in at an issuer', (t) => {
  const { path, remove } = tempFolder('sign-in')
  t.after(remove)
  const page = readFileSync(new URL('../../docs/how-to/sign-in.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []
  const file = join(path, 'mesh.yaml')
  writeFileSync(file, yaml)
  const env = { MESH_OIDC_CLIENT_SECRET: 'from-the-secret' }
  const { sessions } = readSettings(openSettings({ env, file }), env, []).core
  assert.deepEqual([sessions.oidc?.clientSecret, sessions.oidc?.title], ['from-the-secret', 'Example'])
  assert.notEqual(
    oidcOf(sessions, { request: () => assert.fail('not called') }, () => new Date()),
    undefined,
  )
  const refused = [
    'sessions: {publicUrl: "http://mesh.example.com"}',
    'sessions: {publicUrl: "https://mesh.example.com/path"}',
    'sessions: {idleMinutes: 0}',
    'sessions: {absoluteHours: 721}',
    'sessions: {oidc: {issuer: "http://login.example.com", clientId: a}}',
    'sessions: {oidc: {issuer: "https://login.example.com"}}',
    'sessions: {oidc: {issuer: "https://login.example.com", clientId: a, scopes: ["a b"]}}',
  ]
  for (const text of refused) {
    writeFileSync(file, text)
    assert.throws(() => readSettings(openSettings({ env: {}, file }), {}, []), /sessions\./, text)
  }
})

test('UX-13: the commands of docs/how-to/sign-in.md sign in, change the persona and sign out everywhere', async (t) => {
  const platform = await sharedEmbedded()
  const shell = createPageShell(t, 'sign-in.md', platform)
  const [address = ''] = await shell.section('On this machine')
  assert.match(address.trim(), new RegExp(`^${platform.url}/#code=[\\w-]{32}$`))
  const [printed = ''] = await shell.section('What a browser sends')
  assert.match(printed, /"username":"admin"[^]*"username":"admin"[^]*"username":"viewer"[^]*"persona":"viewer"/)
  assert.match(await shell.run('page "$URL/session"'), /"session":null/)
  // Outcomes are stored within 50 ms, and become rows by the bus.
  const rows = await shell.run(
    'for n in $(seq 100); do ROWS=$(api "$URL/api/audit?kind=Session"); case $ROWS in *sign-out-everywhere*) break;; esac; sleep 0.2; done; echo "$ROWS"',
  )
  for (const action of ['sign-in', 'switch-persona', 'sign-out-everywhere'])
    assert.match(rows, new RegExp(`"actor":"admin"[^}]*"action":"${action}","resource_kind":"Session"`))
})
