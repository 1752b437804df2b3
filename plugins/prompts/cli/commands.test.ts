import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'

const at = '2026-11-30T10:00:00.000Z'
const prompt = {
  namespace: 'demo',
  name: 'greet',
  version: 3,
  type: 'text',
  text: 'Hi \u001b[31m{{name}}.',
  labels: { production: 1, staging: 3 },
  contentHash: 'sha256:0',
  updatedBy: 'ada',
  updatedAt: at,
  commitMessage: 'Greet.',
}
const moves = [{ label: 'staging', from: 2, to: null, movedBy: 'ada', movedAt: at }]
const sections = [
  { path: '/text', from: 'a', to: 'b' },
  { path: '/tags', to: ['x'] },
]

/** An API that keeps what it received. */
async function start(t: TestContext) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    const respond = (body: string): void => {
      requests.push([request.method, url, body].join(' ').trim())
      const page = url.includes('/history')
        ? { items: moves }
        : url.includes('?namespace')
          ? { items: [prompt] }
          : undefined
      const one = url.includes('/diff') ? { sections } : prompt
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(page === undefined ? one : { ...page, nextCursor: null }))
    }
    text(request).then(respond, () => response.destroy())
  })
  const env = { MESH_SERVER: await listen(t, server), MESH_TOKEN: 'token' }
  return { requests, run: (...args: readonly string[]) => runCli(['prompts', ...args, '-n', 'demo'], { env }) }
}

test('meshctl prompts reads prompts, their history and their diff', async (t) => {
  const { requests, run } = await start(t)
  const line = `demo\tgreet\t3\tproduction:1 staging:3\ttext\tada\t${at}\tGreet.`
  assert.equal((await run('list', '--search', 'Hi')).out, `${line}\n`)
  const got = await run('get', 'greet', '--label', 'staging')
  assert.ok(got.out.startsWith(`${line}\tHi `) && !got.out.includes('\u001b'), got.out)
  assert.equal((await run('history', 'greet')).out, `staging\t2\t-\tada\t${at}\n`)
  assert.equal((await run('diff', 'greet', '1')).out, 'text\ta\tb\ntags\t-\t["x"]\n')
  assert.deepEqual(requests, [
    'GET /api/promptversions?namespace=demo&search=Hi&limit=50',
    'GET /api/promptversions/demo/greet?label=staging',
    'GET /api/promptversions/demo/greet/history?limit=50',
    'GET /api/promptversions/demo/greet/diff?from=1',
  ])
})

test('meshctl prompts label moves or removes a label, and refuses anything else', async (t) => {
  const { requests, run } = await start(t)
  assert.equal((await run('label', 'greet', 'production', '3')).code, 0)
  assert.equal((await run('label', 'greet', 'staging', '--remove')).code, 0)
  assert.deepEqual(requests.splice(0), [
    'PUT /api/promptversions/demo/greet/labels/production {"version":3}',
    'PUT /api/promptversions/demo/greet/labels/staging {"version":null}',
  ])
  for (const [args, says] of [
    [['greet', 'staging'], /exactly one of VERSION and --remove/],
    [['greet', 'staging', '3', '--remove'], /exactly one of/],
    [['greet', 'staging', '0'], /must be a number from 1/],
    [['greet', 'staging', '1e3'], /must be a number from 1/],
    [['greet', 'staging', '99999999999'], /must be a number from 1/],
    [['..', 'staging', '1'], /is no name/],
    [['greet', '\ud800', '1'], /is no name/],
    [['greet'], /LABEL/],
  ] as const) {
    const refused = await run('label', ...args)
    assert.equal(refused.code, 1, args.join(' '))
    assert.match(refused.err, says)
  }
  assert.deepEqual(requests, [])
})
