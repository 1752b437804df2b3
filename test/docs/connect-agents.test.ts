import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sharedEmbedded } from '#test/flows/platform/shared-platform.ts'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/connect-agents.md', import.meta.url))

test('the commands of docs/how-to/connect-agents.md connect two agents', needs('kubectl'), async (t) => {
  const { apiServer, tokens, url } = await sharedEmbedded()
  const folder = tempFolder('connect-agents')
  t.after(folder.remove)
  for (const [path, text] of filesOfPage(page)) writeFileSync(join(folder.path, path), text)
  const named = { name: 'mesh' }
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'mesh',
    clusters: [
      {
        ...named,
        cluster: { server: apiServer.url, 'certificate-authority-data': Buffer.from(apiServer.ca).toString('base64') },
      },
    ],
    users: [{ ...named, user: { token: tokens.developer } }],
    contexts: [{ ...named, context: { cluster: 'mesh', user: 'mesh' } }],
  }
  mkdirSync(join(folder.path, 'home'))
  writeFileSync(join(folder.path, 'kubeconfig'), JSON.stringify(kubeconfig))
  const env = {
    PATH: process.env.PATH,
    HOME: join(folder.path, 'home'),
    KUBECONFIG: join(folder.path, 'kubeconfig'),
    MESH_URL: url,
    TOKEN: tokens.developer,
  }
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  assert.equal(blocks.length, 2)
  let output = ''
  for (const block of blocks)
    output = (await promisify(execFile)('sh', ['-ec', block], { cwd: folder.path, env })).stdout
  const run = JSON.parse(output) as { state: string; output: { output: string } }
  assert.deepEqual([run.state, run.output.output], ['succeeded', 'GOOD MORNING'], output)
})
