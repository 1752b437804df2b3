import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'
import { startEmbedded } from '../flows/platform/embedded.ts'
import { createPageShell } from './page-shell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test(
  'the commands of docs/how-to/approve-tool-servers.md connect, approve and revoke a server',
  needs('kubectl'),
  async (t) => {
    const server = await startMcpServer(t, '2026-07-28')
    const folder = tempFolder('approvals')
    t.after(folder.remove)
    const text = readFileSync(join(root, 'docs/how-to/approve-tool-servers.md'), 'utf8')
    const [, settings = ''] = /```yaml\n([^`]*)```/.exec(text) ?? []
    writeFileSync(join(folder.path, 'mesh.yaml'), settings)
    const platform = await startEmbedded(t, {
      env: { MESH_CONFIG: join(folder.path, 'mesh.yaml'), MESH_OUTBOUND_ALLOW: '127.0.0.1' },
    })
    const shell = createPageShell(t, 'approve-tool-servers.md', platform)
    // The server of the test has a port of its own.
    const section = (heading: string): Promise<string> =>
      shell.run(shell.blocks(heading).join('\n').replaceAll('http://127.0.0.1:8091/mcp', server.url))
    const connected = await section('Connect a server')
    assert.match(connected, /"name":"echo"/)
    assert.match(connected, /mcpserver.mesh.dev\/desk condition met/)
    const waiting = await section('Read what would change')
    assert.match(waiting, /"change":"added","tool":"echo"/)
    const approved = await section('Approve it')
    assert.match(approved, /"state":"approved"/)
    assert.match(approved, /operator\S* sha256:[0-9a-f]{64}$/)
    const revoked = await section('Revoke it')
    assert.match(revoked, /"state":"rejected"/)
    assert.match(revoked, /condition met/)
  },
)
