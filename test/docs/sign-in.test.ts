import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

test('UX-13: the commands of docs/how-to/sign-in.md sign in, change the persona and sign out everywhere', async (t) => {
  const platform = await sharedEmbedded()
  const shell = createPageShell(t, 'sign-in.md', platform)
  const [address = ''] = await shell.section('On this machine')
  assert.match(address.trim(), new RegExp(`^${platform.url}/#code=[\\w-]{32}$`))
  const [printed = ''] = await shell.section('What a browser sends')
  assert.match(printed, /"username":"admin"[^]*"username":"admin"[^]*"username":"viewer"[^]*"persona":"viewer"/)
  assert.match(await shell.run('page "$URL/session"'), /"session":null/)
})
