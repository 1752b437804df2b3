import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { toKubeconfig } from '#local/data-folder/kubeconfig.ts'
import { personas } from '#local/data-folder/personas.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { openClient } from './open-client.ts'

/** An API that responds with path and bearer of a request, and the kubeconfig of the platform that serves it. */
async function start(t: TestContext) {
  const { path, remove } = tempFolder('open-client')
  t.after(remove)
  const server = createServer(({ url, headers }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify([url, headers.authorization]))
  })
  const apiUrl = await listen(t, server)
  const tokens = Object.fromEntries(personas.map((name) => [name, `token-of-${name}`])) as Record<Persona, string>
  const kubeconfig = join(path, 'kubeconfig')
  writeFileSync(kubeconfig, toKubeconfig({ url: apiUrl, certificateAuthority: '', apiUrl }, tokens, 'developer'))
  const get = async (env: Readonly<Record<string, string>>, findLocal: () => Promise<string | undefined>) => {
    const client = await openClient({ env: { HOME: path, ...env }, userAgent: 'mesh/0', findLocal })
    try {
      return await client.get<readonly string[]>(['x', 'oncall', 'pages', 'a b'])
    } finally {
      await client.close()
    }
  }
  return { get, apiUrl, kubeconfig }
}

test('a command finds the API by its environment, then by the platform of this machine', async (t) => {
  const { get, apiUrl, kubeconfig } = await start(t)
  const local = async () => kubeconfig
  const never = () => assert.fail('the environment names the API')
  const path = '/api/x/oncall/pages/a%20b'
  assert.deepEqual(await get({}, local), [path, 'Bearer token-of-developer'])
  assert.deepEqual(await get({ KUBECONFIG: kubeconfig }, never), [path, 'Bearer token-of-developer'])
  assert.deepEqual(await get({ MESH_SERVER: apiUrl, MESH_TOKEN: 'mine' }, never), [path, 'Bearer mine'])
})

test('a command without an API is answered with what names one', async (t) => {
  const { get, apiUrl } = await start(t)
  const hint = /\nSet MESH_SERVER and MESH_TOKEN or KUBECONFIG, or start mesh all in this folder\.$/
  await assert.rejects(() => get({}, async () => undefined), hint)
  await assert.rejects(
    () => get({ MESH_SERVER: apiUrl }, async () => undefined),
    /^CliProblem: no token\nSet MESH_SERVER/,
  )
  await assert.rejects(
    () => get({ MESH_SERVER: 'http://acme.example', MESH_TOKEN: 'x' }, async () => undefined),
    /must be https/,
  )
})
