import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { runCli } from '#cli/testing/run-cli.ts'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { sharedEmbedded, sharedPlatform } from './platform/shared-platform.ts'
import type { Platform } from './platform/running-platform.ts'

interface ListedRuns {
  readonly items: readonly { readonly id: string }[]
}

const invoke = async (platform: Platform, input: string): Promise<string> => {
  const body = { agent: { namespace: 'demo', name: 'hello' }, input }
  const bearer = platform.tokens.developer
  const made = await platform.send({ method: 'POST', path: '/api/invoke', bearer, body })
  assert.equal(made.status, 200, made.text)
  return made.json<{ runId: string }>().runId
}

test('meshctl reads runs and scores of a running platform with the kubeconfig that mesh env names', async () => {
  const platform = await sharedEmbedded()
  const env = (persona: string) => ({ KUBECONFIG: join(platform.dataDir ?? '', 'kubeconfigs', persona) })
  const run = (persona: string, ...args: readonly string[]) => runCli(args, { env: env(persona) })
  const id = await invoke(platform, 'from the command line')
  const score = { method: 'POST', path: '/api/feedback', bearer: platform.tokens.developer } as const
  const given = await platform.send({ ...score, body: { runId: id, value: 5, comment: 'Right.' } })
  assert.equal(given.status, 202, given.text)

  const listed = await run('developer', 'runs', 'list', '-n', 'demo', '--agent', 'hello', '-o', 'json')
  assert.deepEqual([listed.code, listed.err], [0, ''])
  assert.ok((JSON.parse(listed.out) as ListedRuns).items.some((one) => one.id === id))
  const shown = await run('developer', 'runs', 'get', id, '-o', 'yaml')
  assert.equal((parse(shown.out) as { input: string }).input, 'from the command line')
  assert.equal((await run('viewer', 'runs', 'get', id, '-o', 'name')).out, `run/${id}\n`)
  const scores = await run('developer', 'feedback', 'list', '-n', 'demo', '--run', id)
  assert.match(scores.out, /^demo\thello\t\S+\t5\t\S*developer\t\S+Z\tRight\.\n$/)

  // Launchers send the spans of a run after its end.
  const listTraces = () => run('developer', 'traces', 'list', '-n', 'demo', '--agent', 'hello', '-o', 'json')
  const end = performance.now() + 60_000
  let traces = await listTraces()
  while (!traces.out.includes(`"runId": "${id}"`)) {
    assert.ok(performance.now() < end, traces.out + traces.err)
    await pause(200)
    traces = await listTraces()
  }
  assert.deepEqual([traces.code, traces.err], [0, ''])
  const trace = await run('developer', 'traces', 'get', id)
  assert.match(trace.out, new RegExp(`^[0-9a-f]{32}\\t${id}\\t[0-9]+\\t.*run`))
  const slow = await run('developer', 'traces', 'list', '-n', 'demo', '--min-duration', 'soon')
  assert.match(slow.err, /^meshctl: .*minDuration.*\(400, /)

  const denied = await run('other-tenant', 'runs', 'list', '-n', 'demo')
  assert.deepEqual([denied.code, denied.out], [1, ''])
  assert.match(denied.err, /^meshctl: .*\(403, forbidden/)
  const unknown = await run('developer', 'runs', 'get', '019a0000-0000-7000-8000-00000000ffff')
  assert.match(unknown.err, /^meshctl: .*\(404, not_found/)
  const odd = await run('developer', 'runs', 'list', '-n', 'demo', '--state', '\0')
  assert.match(odd.err, /^meshctl: .*state.*\(400, /)
})

test('meshctl lists agents with their runs, and cost by dimensions', async () => {
  const platform = await sharedEmbedded()
  const env = { KUBECONFIG: join(platform.dataDir ?? '', 'kubeconfigs', 'viewer') }
  const run = (...args: readonly string[]) => runCli([...args, '-n', 'demo'], { env })
  const agents = await run('agents', 'list', '--name', 'HELL', '--order', 'oldest')
  assert.match(agents.out, /^demo\thello\tTrue\t\d+\t\d+\t/, agents.err)
  const cost = await run('cost', 'breakdown', '--by', 'day,agent', '--top', '3', '-o', 'json')
  assert.deepEqual([cost.code, cost.err], [0, ''])
  for (const [args, refused] of [
    [['agents', 'list', '--window', '1ms'], /window.*\(400, /],
    [['agents', 'list', '--order', '\0'], /order.*\(400, /],
    [['cost', 'breakdown', '--by', 'day,day'], /groupBy.*\(400, /],
    [['cost', 'breakdown', '--top', '0'], /top.*\(400, /],
  ] as const) {
    const { code, err } = await run(...args)
    assert.equal(code, 1, args.join(' '))
    assert.match(err, refused)
  }
})

test('meshctl connects a provider with a key that stands in no argument and no output', async (t) => {
  const platform = await sharedEmbedded()
  const folder = tempFolder('keys')
  t.after(folder.remove)
  const file = join(folder.path, 'key')
  const env = { KUBECONFIG: join(platform.dataDir ?? '', 'kubeconfigs', 'developer'), KEY: 'sk-canary-1' }
  const run = (...args: readonly string[]) => runCli([...args, '-n', 'demo'], { env })
  const url = ['--url', 'http://127.0.0.1:9/v1', '--unchecked']
  const made = await run('providers', 'connect', 'typed', ...url, '--key-env', 'KEY', '-o', 'json')
  assert.deepEqual([made.code, made.err], [0, ''])
  const { keyVersion, hasKey } = JSON.parse(made.out) as { keyVersion: number; hasKey: boolean }
  assert.deepEqual([keyVersion, hasKey], [1, true])
  writeFileSync(file, 'sk-canary-2\n')
  const rotated = await run('providers', 'rotate', 'typed', '--key-file', file, '--unchecked')
  assert.match(rotated.out, /^demo\ttyped\topenai\t[^\n]*\t2\t/, rotated.err)
  const unreached = await run('providers', 'models', 'typed')
  assert.match(unreached.err, /^meshctl: .*\(502, provider_unreachable/)
  const known = await run('providers', 'known')
  assert.match(known.out, /^groq\tGroq\topenai\ttrue\thttps:\/\/api\.groq\.com\/openai\/v1$/m)

  writeFileSync(file, 'sk-canary-3\nx-evil: yes')
  const refused: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['providers', 'connect', 'x', ...url, '--key-file', file], /has more than a key/],
    [['providers', 'connect', 'x', ...url, '--key-file', join(folder.path, 'none')], /does not exist/],
    [['providers', 'connect', 'x', ...url, '--key-env', 'NONE'], /has no key/],
    [['providers', 'connect', 'x', ...url, '--key-env', 'KEY', '--key-file', file], /either --key-env or --key-file/],
    [['providers', 'connect', 'x', '--known', 'groqq', '--key-env', 'KEY'], /providers known/],
    [['providers', 'connect', 'x', '--known', 'groq', '--url', 'http://x/v1', '--key-env', 'KEY'], /--known stands/],
    [['providers', 'connect', '../x', ...url, '--key-env', 'KEY'], /name.*\(400, /],
    [['providers', 'rotate', '\0', '--key-env', 'KEY', '--unchecked'], /name/],
    [['providers', 'rotate', 'none', '--key-env', 'KEY', '--unchecked'], /\(404, /],
    [['providers', 'disconnect', 'none'], /\(404, /],
    [['routes', 'get', 'none'], /\(404, /],
    [['routes', 'get', '..'], /is no name/],
  ]
  for (const [args, message] of refused) {
    const result = await run(...args)
    assert.deepEqual([result.code, result.out], [1, ''], args.join(' '))
    assert.match(result.err, message)
    assert.ok(!result.err.includes('canary'), args.join(' '))
  }
  const routes = await run('routes', 'list')
  assert.match(routes.out, /^demo\tmock\tTrue\tmock:mock/m, routes.err)
  const gone = await run('providers', 'disconnect', 'typed')
  assert.deepEqual([gone.code, gone.err], [0, 'provider/demo/typed disconnected\n'])
  assert.ok(![made, rotated, gone].some(({ out, err }) => (out + err).includes('canary')))
})

test(
  'meshctl calls a platform on a cluster with address and token of the environment',
  needs('etcd', 'kube-apiserver', 'postgres', 'initdb', 'nats-server'),
  async () => {
    const platform = await sharedPlatform('cluster')
    const env = { MESH_SERVER: platform.url, MESH_TOKEN: platform.tokens.admin }
    const listed = await runCli(['runs', 'list', '-A', '-o', 'json'], { env })
    assert.deepEqual([listed.code, listed.err], [0, ''])
    assert.ok(Array.isArray((JSON.parse(listed.out) as ListedRuns).items))
    const refused = await runCli(['runs', 'list'], { env: { ...env, MESH_TOKEN: 'not-a-token-of-it' } })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /refused the token of MESH_TOKEN: it is not valid \(401\)/)
  },
)
