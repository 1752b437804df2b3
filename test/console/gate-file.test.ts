import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { parse } from 'yaml'
import { gateYaml, namedAgent, readScore, toGateSuite } from '#plugins/agents/console/new/gate/gated-file.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedRequest } from './canned-answer.ts'
import { refunds } from './canned-datasets.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const gate = { dataset: 'refunds', suite: 'bot-gate' }

test('a gate is written in the format of the file, and its other lines stay', () => {
  const file = gateYaml('# Mine.\nname: bot # short\neval: { minScore: 0.9 }\n', gate) ?? ''
  assert.match(file, /^# Mine\.\nname: bot # short\n/)
  assert.deepEqual(parse(file), { name: 'bot', eval: { minScore: 0.9, dataset: 'refunds', suite: 'bot-gate' } })
  const manifest = 'kind: AgentDeployment\nmetadata: { name: bot, namespace: demo }\nspec:\n  systemPrompt: Hi.\n'
  const gated = gateYaml(manifest, gate) ?? ''
  assert.deepEqual((parse(gated) as { spec: object }).spec, {
    systemPrompt: 'Hi.',
    evalGate: { suiteRef: { name: 'bot-gate' } },
  })
  assert.deepEqual(namedAgent(parse(gated), 'other'), { name: 'bot', namespace: 'demo', suite: 'bot-gate' })
  assert.deepEqual(namedAgent({ name: 'bot' }, 'other'), { name: 'bot', namespace: 'other', suite: undefined })
})

test('a file without a place for a gate, and hostile values of it, change nothing', () => {
  for (const yaml of ['a: [1', 'kind: AgentDeployment\nspec: text\n', 'x: &a { b: 1 }\nname: bot\neval: *a\n'])
    assert.equal(gateYaml(yaml, gate), undefined, yaml)
  for (const value of [null, 7, 'x', [], { eval: [] }, { kind: 'A', spec: { evalGate: 'x' }, metadata: 3 }])
    assert.deepEqual(namedAgent(value, 'demo'), { name: 'agent', namespace: 'demo', suite: undefined })
})

test('a score is a number from 0 to 1', () => {
  assert.deepEqual(['0', ' 0.8 ', '.5', '1'].map(readScore), [0, 0.8, 0.5, 1])
  for (const bad of ['', '1.1', '-1', '1e-1', 'NaN', '0x1', '0.8 0.9', '\u0000'])
    assert.equal(readScore(bad), undefined)
  const typed = { ...gate, evaluator: 'exact', minScore: '0.5' } as const
  assert.deepEqual(toGateSuite(typed, 0.5), {
    datasetRef: { name: 'refunds' },
    evaluators: [{ name: 'same', type: 'exact' }],
    minScore: 0.5,
  })
})

const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as object

const recipe = {
  id: 'hello',
  title: 'Hello',
  description: 'The smallest agent.',
  tags: [],
  config: { name: 'hello', model: { route: 'mock' }, systemPrompt: 'You greet people.' },
  tryInput: 'Hi',
}

function api(sent: CannedRequest[]) {
  const pages = [{ id: 'agents', title: 'Agents', section: 'Build', path: '/agents', capability: 'agents' }]
  const capabilities = ['agents', 'evals', 'datasets'].map((id) => ({ id, enabled: true }))
  const record = (status: number, body: object) =>
    answering((request) => {
      if (request.method === 'GET') return { status: 200, body: { items: [], nextCursor: null } }
      sent.push(request)
      const { metadata } = request.body as { readonly metadata?: { readonly name: string } }
      if (metadata?.name === 'taken') return { status: 409, body: { title: 'Conflict', detail: 'It exists <b>.' } }
      return { status, body }
    })
  return {
    ...cannedShell,
    '/openapi.json': document,
    '/api/capabilities': { profile: 'open', pages, capabilities },
    '/api/recipes': { items: [recipe], nextCursor: null },
    '/api/templates': { items: [], nextCursor: null },
    '/api/datasets': { items: [refunds], nextCursor: null },
    '/api/agents/check-requirements': { ready: true, requirements: [] },
    '/api/evalsuites': record(201, {}),
    '/api/agents': record(201, { metadata: { name: 'hello', namespace: 'demo' } }),
  }
}

test('the file of a new agent is gated by a suite that is made for it', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const url = await serveConsole(t, await consoleFiles(), api(sent))
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/agents/new?from=recipe:hello&namespace=demo`, {
    scheme: 'light',
    width: 'wide',
  })
  await page.getByRole('button', { name: 'Gate this file' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').last().selectOption('exact')
  const suite = dialog.getByRole('textbox', { name: 'Name of the suite' })
  assert.equal(await suite.inputValue(), 'hello-gate')
  await suite.fill('taken')
  await dialog.getByRole('button', { name: 'Create the suite' }).click()
  await dialog.getByText('It exists <b>.').waitFor()
  await dialog.getByRole('textbox', { name: /^Score/ }).fill('2')
  await dialog.getByText('A number from 0 to 1.').waitFor()
  assert.deepEqual(await axeViolations(page), [])
  await dialog.getByRole('textbox', { name: /^Score/ }).fill('0.9')
  await suite.fill('hello-gate')
  await dialog.getByRole('button', { name: 'Create the suite' }).click()
  await page.getByText('once it has passed the suite hello-gate').waitFor()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/agents\/demo\/hello\?tab=playground/)
  const [, made, agent] = sent.map(({ path, body }) => ({ path, body }))
  assert.deepEqual(made, {
    path: '/api/evalsuites',
    body: {
      metadata: { name: 'hello-gate', namespace: 'demo' },
      spec: { datasetRef: { name: 'refunds' }, evaluators: [{ name: 'same', type: 'exact' }], minScore: 0.9 },
    },
  })
  assert.deepEqual(agent, {
    path: '/api/agents',
    body: { namespace: 'demo', config: { ...recipe.config, eval: { dataset: 'refunds', suite: 'hello-gate' } } },
  })
  assert.deepEqual(
    problems.filter((one) => !one.includes('409')),
    [],
  )
})
