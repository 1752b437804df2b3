import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

async function start(t: TestContext) {
  const requests: { readonly route: string; readonly body: unknown }[] = []
  let response: unknown = {}
  const server = createServer((request, reply) => {
    const read = request.method === 'POST' ? json(request) : Promise.resolve(undefined)
    read.then(
      (body) => {
        requests.push({ route: `${request.method} ${request.url}`, body })
        return reply.setHeader('content-type', 'application/json').end(JSON.stringify(response))
      },
      () => reply.destroy(),
    )
  })
  const { path: folder, remove } = tempFolder('datasets-cli')
  t.after(remove)
  const env = { MESH_SERVER: await listen(t, server), MESH_TOKEN: 'token' }
  const run = (...args: readonly string[]) => runCli(['datasets', ...args, '-n', 'demo'], { env })
  return { run, requests, folder, respond: (next: unknown) => (response = next) }
}

test('meshctl datasets lists datasets and cases', async (t) => {
  const { run, requests, respond } = await start(t)
  const createdAt = '2026-11-30T08:00:00.000Z'
  respond({
    items: [{ namespace: 'demo', name: 'refunds', cases: 2, labels: 1, latestPin: { version: 3 }, createdAt }],
    nextCursor: null,
  })
  assert.equal((await run('list')).out, `demo\trefunds\t2\t1\t3\t${createdAt}\n`)
  const labels = [{ name: 'correct', value: true }]
  respond({ items: [{ id: 'a', input: { q: 'x'.repeat(80) }, labels, tags: [], createdAt }], nextCursor: null })
  const { out } = await run('cases', 'refunds', '--pin', '3')
  assert.equal(out, `a\t{"q":"${'x'.repeat(53)}…\tcorrect=true\t${createdAt}\n`)
  assert.match(requests.at(-1)?.route ?? '', /^GET \/api\/datasets\/refunds\/cases\?.*version=3/)
})

test('meshctl datasets imports and pins; labels and exports are left to the API', async (t) => {
  const { run, requests, folder, respond } = await start(t)
  const file = join(folder, 'cases.ndjson')
  writeFileSync(file, '{"input":"a"}\n\n{"id":"b","input":1}\n')
  respond({ created: 2, updated: 0, unchanged: 0 })
  assert.equal((await run('import', 'refunds', file)).out, '2\t0\t0\n')
  assert.deepEqual(requests.pop(), {
    route: 'POST /api/datasets/refunds/cases/import?namespace=demo',
    body: { cases: [{ input: 'a' }, { id: 'b', input: 1 }] },
  })
  writeFileSync(file, '{"input":"a"}\nnot json\n')
  const bad = await run('import', 'refunds', file)
  assert.deepEqual([bad.code, bad.out, requests.length], [1, '', 0])
  assert.match(bad.err, /line 2: is not valid JSON/)
  respond({ version: 1, cases: 2, digest: 'sha256:0' })
  assert.equal((await run('pin', 'refunds', '--note', 'first')).out, '1\t2\tsha256:0\n')
  assert.deepEqual(requests.pop()?.body, { note: 'first' })
  // The interface leaves both to the HTTP API.
  for (const words of ['label', 'export'])
    assert.match((await run(words, 'refunds')).err, new RegExp(`^meshctl: unknown command "datasets ${words}"`))
})
