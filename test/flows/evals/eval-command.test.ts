import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import test, { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sharedEmbedded } from '#test/flows/platform/shared-platform.ts'
import { attributesOf, parseXml } from '#test/harness/parse-xml.ts'
import { agentFile, prepareEvalWorld } from './eval-world.ts'
import type { EvalWorld } from './eval-world.ts'

interface Report {
  readonly decision: string
  readonly score: number | null
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly suite: string | null
  readonly dataset: string | null
  readonly baseline: unknown
  readonly evaluators: readonly { readonly name: string; readonly threshold: number | null }[]
  readonly cases: readonly { readonly caseId: string; readonly passed: boolean | null }[]
}

const program = fileURLToPath(import.meta.resolve('../../../scripts/program/start-meshctl.mjs'))
let world: EvalWorld
const stops: (() => unknown)[] = []
after(async () => {
  for (const stop of stops) await stop()
})

before(
  async () => {
    const platform = await sharedEmbedded()
    world = await prepareEvalWorld({ after: (stop) => stops.push(stop) }, platform)
  },
  { timeout: 300_000 },
)

const evaluate = async (name: string, agent: unknown, ...args: readonly string[]) => {
  const candidate = world.file(`${name}.yaml`, agent)
  return world.run('admin', ['eval', '--candidate', candidate, ...args])
}
const reportOf = (out: string) => JSON.parse(out) as Report

test('eval makes its namespace, exits by the score alone, and leaves nothing', { timeout: 240_000 }, async () => {
  const rude = await evaluate('rude', agentFile('bot', 'rude'), '--min-score', '0.8', '--output', 'junit')
  assert.equal(rude.code, 1, rude.err)
  const xml = parseXml(rude.out)
  assert.deepEqual(attributesOf(xml, 'testcase', 'name'), ['case-0', 'case-1', 'case-2'])
  assert.deepEqual(new Set(attributesOf(xml, 'testcase', 'classname')), new Set(['demo/bot']))
  assert.deepEqual(attributesOf(xml, 'testsuite', 'failures'), ['3'])
  assert.equal(attributesOf(xml, 'testcase > failure', 'type').length, 3)
  assert.match(rude.err, /^demo\/bot: fail, score 0 of 0\.8 required; 0 of 3 cases passed\n$/)
  assert.equal(await world.left('agent-eval'), 'no namespace')
})

test('a namespace that existed stays, and several evaluations share it', { timeout: 240_000 }, async () => {
  const made = await world.kube('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'agent-eval' },
  })
  assert.equal(made.status, 201, made.text)
  await world.send('POST', '/api/evalsuites', {
    metadata: { name: 'strict', namespace: 'demo' },
    spec: {
      datasetRef: { name: 'mixed' },
      evaluators: [{ name: 'same', type: 'exact', threshold: 1 }],
      minScore: 1,
      mode: 'warn',
      baseline: { revision: '7', maxRegression: 0 },
    },
  })
  const strict = { eval: { dataset: 'mixed', suite: 'strict', minScore: 1 } }
  const prompt = {
    systemPrompt: undefined,
    prompt: { name: 'greet', text: 'You help {{who}}.', variables: { who: 'us' } },
  }
  const [kind, enough, short, none, prompted] = await Promise.all([
    evaluate('kind', agentFile('bot', 'kind'), '--min-score', '1'),
    evaluate('enough', agentFile('bot', 'kind', strict), '--min-score', '0.6'),
    evaluate('short', agentFile('bot', 'kind', strict), '--min-score', '.7'),
    evaluate('none', agentFile('bot', 'kind'), '--min-score', '0', '--dataset', 'demo/empty'),
    evaluate('prompted', agentFile('bot', 'kind', prompt), '--min-score', '1', '--output', 'junit'),
  ])
  assert.equal(kind.code, 0, kind.err)
  const report = reportOf(kind.out)
  assert.deepEqual(
    [report.decision, report.score, report.phase, report.suite, report.dataset],
    ['pass', 1, 'Passed', null, 'demo/greetings'],
  )
  assert.deepEqual([enough.code, short.code], [0, 1], `${enough.err}${short.err}`)
  const reported = reportOf(enough.out)
  assert.deepEqual([reported.suite, reported.evaluators[0]?.threshold, reported.baseline], ['demo/strict', 1, null])
  assert.deepEqual(
    reported.cases.map(({ passed }) => passed),
    [true, true, false],
  )
  assert.equal(none.code, 2, none.err)
  assert.deepEqual([reportOf(none.out).phase, reportOf(none.out).reason], ['Inconclusive', 'NoCases'])
  assert.equal(prompted.code, 0, prompted.err)
  assert.equal(await world.left('agent-eval'), 'nothing')
  const prompts = await world.send('GET', '/api/promptversions?namespace=agent-eval')
  assert.deepEqual(prompts.json<{ items: unknown[] }>().items, [])
  assert.equal((await world.kube('GET', '/api/v1/namespaces/agent-eval')).status, 200)
})

test('what cannot be evaluated is named and exits with 2, before anything is made', { timeout: 120_000 }, async () => {
  const bound = { secrets: ['keys'], delegates: ['other'], systemPrompt: undefined, prompt: { name: 'managed' } }
  for (const [title, agent, args, message] of [
    [
      'bound',
      agentFile('bot', 'kind', bound),
      [],
      /PromptVersion demo\/managed \(spec\.prompt\).*SecretBinding demo\/keys \(spec\.secrets\[0\]\)/,
    ],
    [
      'links',
      agentFile('bot', 'kind', bound),
      [],
      /AgentDeployment demo\/other \(spec\.delegates\[0\]\) has no allowedNamespaces/,
    ],
    [
      'private',
      agentFile('bot', 'private'),
      [],
      /ModelRoute demo\/private is denied\. Add agent-eval to spec\.allowedNamespaces/,
    ],
    ['absent', agentFile('bot', 'absent'), [], /ModelRoute demo\/absent is missing/],
    ['data', agentFile('bot', 'kind'), ['--dataset', 'demo/absent'], /dataset demo\/absent does not exist\n--dataset/],
    [
      'hidden',
      agentFile('bot', 'kind'),
      ['--dataset', 'hidden'],
      /dataset demo\/hidden does not allow the namespace agent-eval\nAdd/,
    ],
    [
      'suite',
      agentFile('bot', 'kind', { eval: { dataset: 'mixed', suite: 'no' } }),
      [],
      /suite demo\/no does not exist/,
    ],
    ['nodata', agentFile('bot', 'kind', { eval: undefined }), [], /names no dataset\neval\.dataset/],
    [
      'job',
      agentFile('bot', 'kind', { executionModel: 'job', runtime: { command: ['x'] } }),
      [],
      /a job has no eval gate/,
    ],
    ['typo', { name: 'bot', modle: {} }, [], /typo\.yaml:2:1: .*modle.*\nmeshctl schema prints/s],
  ] as const) {
    const { code, err, out } = await evaluate(title, agent, '--min-score', '0.5', ...args)
    assert.equal(code, 2, `${title}: ${err}`)
    assert.match(err, message, title)
    if (out !== '') assert.deepEqual([reportOf(out).decision, reportOf(out).cases], ['error', []])
  }
  const file = world.file('denied.yaml', agentFile('bot', 'kind'))
  const denied = await world.run('developer', [
    'eval',
    '--candidate',
    file,
    '--min-score',
    '0',
    '--namespace',
    'scratch',
  ])
  assert.equal(denied.code, 2, denied.err)
  assert.match(denied.err, /scratch/)
  assert.equal(await world.left('agent-eval'), 'nothing')
  assert.equal(await world.left('scratch'), 'no namespace')
})

test('a signal in the middle of an evaluation deletes what it made', { timeout: 120_000 }, async () => {
  const candidate = world.file('silent.yaml', agentFile('slow', 'silent'))
  for (const [signal, code, namespace] of [
    ['SIGTERM', 143, 'agent-eval'],
    ['SIGINT', 130, 'scratch'],
    ['SIGHUP', 129, 'agent-eval'],
  ] as const) {
    const args = ['eval', '--candidate', candidate, '--min-score', '0.5', '--namespace', namespace]
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, KUBECONFIG: world.kubeconfig('admin'), NODE_OPTIONS: '' },
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    await untilRunning(namespace, () => err)
    // As timeout(1) does.
    child.kill(signal)
    await pause(20)
    child.kill(signal)
    assert.equal(await ended, code, err)
    assert.deepEqual([out, err], ['', `meshctl: stopped by ${signal}; what it made is deleted.\n`])
    assert.equal(await world.left(namespace), namespace === 'scratch' ? 'no namespace' : 'nothing')
  }
})

async function untilRunning(namespace: string, seen: () => string): Promise<void> {
  const path = `/apis/mesh.dev/v1alpha1/namespaces/${namespace}/evalsuites`
  for (const end = performance.now() + 90_000; performance.now() < end; await pause(200)) {
    const { status, text } = await world.kube('GET', path)
    if (status === 200 && text.includes('"phase":"Running"')) return
  }
  throw new Error(`no evaluation runs in ${namespace}: ${seen()}`)
}

test('meshctl evals lists suites, results and history, and overrides a gate', { timeout: 60_000 }, async () => {
  const run = (...args: readonly string[]) => world.run('developer', ['evals', ...args, '-n', 'demo'])
  assert.match((await run('list')).out, /^demo\tstrict\tmixed\t1\t/m)
  assert.match((await run('get', 'strict', '-o', 'yaml')).out, /maxRegression: 0/)
  assert.deepEqual(await run('results', 'strict'), { code: 0, out: '', err: '' })
  const denied = await run('override', 'strict', 'bot', '3', '--reason', 'Reviewed.')
  assert.match(denied.err, /^meshctl: .*\(403, /)
})
