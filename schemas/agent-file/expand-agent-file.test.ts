import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import test from 'node:test'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { AgentFileError } from './problem.ts'
import { AgentFile } from './schema.ts'
import * as agentsApi from '../api/agents.ts'
import * as auditApi from '../api/audit.ts'
import * as commonApi from '../api/common.ts'
import * as runsApi from '../api/runs.ts'
import * as templatesApi from '../api/templates.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { patternText } from '../values/pattern-text.ts'
import { expandAgentConfig, expandAgentFile } from './expand-agent-file.ts'
import { findConfigProblems } from './find-problems.ts'

const kinds = kindsOf(plugins)

const EXAMPLES = new URL('../../examples/', import.meta.url)

function refusal(source: string): string[] {
  try {
    expandAgentFile(source, 'agent.yaml')
  } catch (error) {
    assert.ok(error instanceof AgentFileError)
    return error.message.split('\n')
  }
  throw new assert.AssertionError({ message: 'was not refused' })
}

const head = 'name: hello\nmodel: {route: mock}\n'

test('expand: a small file becomes one AgentDeployment', () => {
  const { documents } = expandAgentFile(`${head}namespace: demo\nsystemPrompt: Hi.\n`)
  assert.deepEqual(documents, [
    {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'AgentDeployment',
      metadata: { name: 'hello', namespace: 'demo' },
      spec: { model: { route: 'mock' }, systemPrompt: 'Hi.' },
    },
  ])
})

test('expand: short forms become the forms of the kind', () => {
  const [agent] = expandAgentConfig({
    name: 'a',
    runtime: { command: ['x'], env: { N: 1, B: true, T: 't' } },
    resources: { cpu: '100m', memory: '64Mi' },
    tools: [
      'time',
      { name: 'weather', bindingRef: 'other/weather', requireApproval: true },
      { name: 'calculate', requireApproval: false },
    ],
    knowledge: ['docs', { name: 'wiki' }],
    scaling: { minReplicas: 1, policyRef: 'busy' },
    budget: { amount: 0.5, window: 'day' },
    eval: { dataset: 'd', suite: 's', minScore: 0.7 },
  }).documents
  assert.deepEqual(agent?.spec, {
    runtime: {
      command: ['x'],
      env: [
        { name: 'N', value: '1' },
        { name: 'B', value: 'true' },
        { name: 'T', value: 't' },
      ],
    },
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '100m', memory: '64Mi' } },
    scaling: { minReplicas: 1, policyRef: { name: 'busy' } },
    tools: [
      { name: 'time' },
      { name: 'weather', bindingRef: { name: 'weather', namespace: 'other' }, requireApproval: ['*'] },
      { name: 'calculate' },
    ],
    knowledge: [{ name: 'docs' }, { name: 'wiki' }],
    budget: { amount: '0.5', window: 'day' },
    evalGate: { suiteRef: { name: 's' }, minScore: 0.7 },
  })
  assert.deepEqual(agent?.metadata.annotations, { 'mesh.dev/eval-dataset': 'd' })
})

test('expand: a prompt block becomes a PromptVersion after the agent', () => {
  const { documents } = expandAgentFile(`${head}prompt: {name: greet, text: Hello}\n`)
  assert.deepEqual(
    documents.map((document) => [document.kind, document.metadata.name]),
    [
      ['AgentDeployment', 'hello'],
      ['PromptVersion', 'greet'],
    ],
  )
  assert.deepEqual(documents[0]?.spec['prompt'], { name: 'greet' })
  assert.deepEqual(documents[1]?.spec, { text: 'Hello' })
})

test('expand: a prompt that exists is only named', () => {
  const { documents } = expandAgentFile(`${head}prompt: {name: greet, label: production}\n`)
  assert.equal(documents.length, 1)
  assert.deepEqual(documents[0]?.spec['prompt'], { name: 'greet', label: 'production' })
})

test('R2-M11: expand: errors name file, line, column and field', () => {
  const cases: [string, string][] = [
    [
      `${head}systemPrmpt: hi\n`,
      'agent.yaml:3:1: /systemPrmpt: unknown field "systemPrmpt"; did you mean systemPrompt?',
    ],
    ['name: hello\nmodel: {route: 3}\n', 'agent.yaml:2:9: /model/route: must be a string'],
    ['model: {route: mock}\n', 'agent.yaml:1:1: name is required'],
    [`${head}schedule: "* * * * *"\n`, 'agent.yaml:3:1: /schedule: schedule is not yet supported'],
    [`${head}triggers: []\n`, 'agent.yaml:3:1: /triggers: triggers is not yet supported'],
    ...['session', 'scheduled', 'event'].map((model): [string, string] => [
      `${head}executionModel: ${model}\n`,
      `agent.yaml:3:1: /executionModel: ${model} is not yet supported; use service or job`,
    ]),
    [`${head}executionModel: cron\n`, 'agent.yaml:3:1: /executionModel: must be one of service, job'],
    [
      `${head}executionModel: servce\n`,
      'agent.yaml:3:1: /executionModel: must be one of service, job; did you mean service?',
    ],
    [
      `${head}executionModel: job\n`,
      'agent.yaml:3:1: /executionModel: a job ends when its process does: it needs runtime.command or an image',
    ],
    [
      'name: Hello\nmodel: {route: mock}\n',
      'agent.yaml:1:1: /name: must be a-z, 0-9 and -, beginning with a letter and ending with a letter or digit',
    ],
    [
      `${head}resources: {memory: 128 MB}\n`,
      'agent.yaml:3:13: /resources/memory: must be a quantity such as 500m, 2 or 128Mi',
    ],
    [
      'apiVersion: mesh.dev/v1alpha1\nkind: AgentDeployment\n',
      'agent.yaml:2:1: /kind: this is a Kubernetes object already: POST it to /api/agents, or apply it with kubectl',
    ],
    [`${head}systemPrompt: "\\0"\n`, 'agent.yaml:3:1: /systemPrompt: must not contain U+0000 or a lone surrogate'],
    [`${head}limits: {maxSteps: .nan}\n`, 'agent.yaml:3:20: must be a finite number'],
    [
      `${head}tools:\n  - time\n  - clock\n`,
      'agent.yaml:5:5: /tools/1: without bindingRef the name must be one of the built-in tools: time, calculate, ask_human',
    ],
    [
      `${head}runtime:\n  env: {A: [1]}\n`,
      'agent.yaml:4:9: /runtime/env/A: must be a string or a number or true or false',
    ],
    ['name: a\nmodel: mock\n', 'agent.yaml:2:1: /model: must be a mapping; write { route: ROUTE }'],
    [
      `${head}tools:\n  - calcualte\n`,
      'agent.yaml:4:5: /tools/0: without bindingRef the name must be one of the built-in tools: time, calculate, ask_human; did you mean calculate?',
    ],
    ['name: a\nname: b\n', 'agent.yaml:2:1: Map keys must be unique'],
    ['name: [a\n', 'agent.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['', 'agent.yaml:1:1: the file is empty'],
    ['- a\n', 'agent.yaml:1:1: must be a mapping'],
  ]
  for (const [source, expected] of cases) assert.equal(refusal(source)[0], expected, source)
})

test('expand: all problems are reported at once', () => {
  assert.equal(refusal('name: 1\nmodle: {}\nlimits: {maxSteps: 0}\n').length, 3)
})

test('SEC3: an answer lists at most 20 problems, whatever the form of the file', () => {
  const names = Array.from({ length: 5000 }, (_, index) => `a${index}`)
  const forms = {
    'unknown fields': names.map((name) => `${name}:\n`).join(''),
    'repeated keys': 'a: 1\n'.repeat(5000),
    anchors: names.map((name) => `${name}: &x 1\n`).join(''),
    'broken escapes': `a: "${'\\q'.repeat(5000)}"`,
    'closing brackets': '] '.repeat(5000),
    'tools that are not known': `name: a\nmodel: {route: mock}\ntools: [${names.slice(0, 60).join(', ')}]`,
  }
  for (const [form, source] of Object.entries(forms)) assert.equal(refusal(source).length, 20, form)
  const config = Object.fromEntries(names.map((name) => [name, 1]))
  assert.equal(findConfigProblems(config).length, 20)
})

test('SEC3: a pointer does not repeat a key of the size of the file', () => {
  const key = 'k'.repeat(100_000)
  assert.ok(findConfigProblems({ name: 'a', runtime: { [key]: 1 } }).every(({ pointer }) => pointer.length < 200))
})

test('SEC3, F2: the cost of an agent file grows with its size, not with its square', () => {
  const worst = {
    'unknown fields': (bytes: number) => Array.from({ length: bytes / 7 }, (_, index) => `a${index}:`).join('\n'),
    'repeated keys': (bytes: number) => 'a: 1\n'.repeat(bytes / 5),
    'closing brackets': (bytes: number) => '] '.repeat(bytes / 2),
    'broken escapes': (bytes: number) => `a: "${'\\q'.repeat(bytes / 2 - 3)}"`,
    'variables of one name': (bytes: number) => `runtime:\n  env:\n${'  - {name: A}\n'.repeat(bytes / 14 - 2)}`,
  }
  const cost = (source: string): number => {
    const before = process.cpuUsage()
    refusal(source)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  for (const [form, make] of Object.entries(worst)) {
    cost(make(16 * 1024)) // compiled
    const [small, large] = [cost(make(32 * 1024)), cost(make(256 * 1024 - 64))]
    // Eight times the size; its square would be 64 times the cost. Garbage collection makes up for the distance.
    assert.ok(large < 30 * Math.max(small, 1000), `${form}: ${small} us, then ${large} us`)
  }
})

test('X3: aliases, anchors, tags, several documents, __proto__ and deep nesting are refused', () => {
  assert.match(refusal(`${head}labels: &a {x: y}\n`)[0] ?? '', /3:12: anchors are not allowed/)
  assert.match(refusal(`${head}labels: &a {x: y}\nannotations: *a\n`)[1] ?? '', /4:14: aliases are not allowed/)
  assert.match(refusal(`${head}systemPrompt: !env HOME\n`).join(), /tag/i)
  assert.match(refusal(`${head}---\nname: b\n`)[0] ?? '', /a second document starts here/)
  assert.match(refusal(`${head}labels: {__proto__: x}\n`)[0] ?? '', /cannot have this name/)
  for (const deep of ['['.repeat(65), '- '.repeat(100_000), '['.repeat(200_000), '{a: '.repeat(70)]) {
    assert.match(refusal(deep)[0] ?? '', /must not be nested deeper than 64 levels/)
  }
  assert.match(refusal(`# ${'x'.repeat(262_144)}`)[0] ?? '', /at most 262144 bytes/)
  const nested = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as unknown
  assert.match(findConfigProblems(nested)[0]?.message ?? '', /nested deeper/)
})

test('expand: an error never repeats a value, which may be a secret', () => {
  const lines = refusal(`${head}runtime:\n  env:\n    - {name: KEY, value: [sk-canary]}\nsecretz: sk-canary\n`)
  assert.doesNotMatch(lines.join('\n'), /sk-canary/)
  for (const source of [
    'name: "sk-canary\n',
    '"name": a\nsk-canary\nb: c\n',
    'name: |sk-canary\n  x\n',
    'name: a\n} sk-canary\n',
    'name: !<sk-canary> a\n',
    'name: *sk-canary\n',
    '%YAML sk-canary\n---\nname: a\n',
  ])
    assert.doesNotMatch(refusal(source).join('\n'), /sk-canary/, source)
})

test('UXM3: every pattern of a kind, the agent format and the API is refused in words', () => {
  const patterns = new Set<string>()
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('pattern' in node && typeof node.pattern === 'string') patterns.add(node.pattern)
    for (const child of Object.values(node)) collect(child)
  }
  for (const part of [kinds.map(({ spec }) => spec), AgentFile, agentsApi, auditApi, commonApi, runsApi, templatesApi])
    collect(part)
  assert.ok(patterns.size > 15)
  assert.deepEqual(
    [...patterns].filter((pattern) => patternText(pattern).startsWith('must match')),
    [],
  )
})

test('expand: any text is either expanded or refused with AgentFileError', () => {
  const lines = fc.constantFrom(
    ...head.split('\n'),
    'tools: [time]',
    'systemPrompt: |',
    '  text',
    '- x',
    '? k',
    ': v',
    '%YAML 1.1',
    '"',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(lines, { maxLength: 8 }).map((parts) => parts.join('\n')),
  )
  fc.assert(
    fc.property(text, (source) => {
      try {
        expandAgentFile(source)
      } catch (error) {
        assert.ok(error instanceof AgentFileError, String(error))
        for (const problem of error.problems) assert.ok((problem.line ?? 1) >= 1)
      }
    }),
    { numRuns: 2000 },
  )
})

test('expand: any JSON is either expanded or refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const problems = findConfigProblems(value)
      if (problems.length === 0) assert.ok(expandAgentConfig(value).documents.length > 0)
    }),
    { numRuns: 2000 },
  )
})

test('expand: every example expands', async () => {
  const names = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.yaml'))
  assert.ok(names.length >= 5)
  for (const name of names) {
    const { documents } = expandAgentFile(await readFile(new URL(name, EXAMPLES), 'utf8'), name)
    assert.equal(documents[0]?.kind, 'AgentDeployment', name)
  }
})

test('expand: loads no schema library', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import('#schemas/agent-file/expand-agent-file.ts')
    console.log(loaded.filter((url) => url.includes('/node_modules/')).map((url) => url.split('/node_modules/')[1].split('/')[0]).join(' '))`
  const root = new URL('../..', import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: root })
  assert.deepEqual([...new Set(stdout.trim().split(' '))], ['yaml'])
})
