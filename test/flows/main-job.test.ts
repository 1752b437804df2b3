import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSseParser } from '#core/sse/parser.ts'
import type { ParsedEvent } from '#core/sse/parser.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { long } from '#test/harness/counts.ts'
import { forms, startPlatform } from './platform.ts'
import type { Platform } from './platform/running-platform.ts'
import type { RawAnswer } from './platform/send.ts'
import { sharedPlatform } from './platform/shared-platform.ts'

interface Run {
  readonly id: string
  readonly state: string
  readonly agent: { readonly revision: number | null } | null
  readonly output: unknown
  readonly pauseReason: string | null
  readonly failReason: string | null
  readonly interrupts: readonly { readonly id: string; readonly reason: string; readonly tool?: string }[]
}

interface Agent {
  readonly metadata: { readonly name: string; readonly generation: number; readonly resourceVersion: string }
  readonly spec: { readonly systemPrompt?: string }
  readonly status?: {
    readonly observedGeneration?: number
    readonly candidateRevision?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

// An agent in another process and without any SDK, which does not respond until it is asked to stop.
const endless = [
  'node',
  '-e',
  "require('node:http').createServer((q, r) => q.url === '/healthz' ? r.end() : q.resume()).listen(process.env.AGENT_PORT, '127.0.0.1')",
]

// A chain of tests on one platform takes longer than one test may, on a busy machine.
const chainMs = 800_000
const served = ['default', 'demo']
const everyday = forms.map((one) => ({ ...one, name: one.form, namespaces: undefined }))
const restricted = forms
  .filter(({ form }) => form === 'cluster')
  .map((one) => ({ ...one, name: 'two namespaces of a cluster, with rights in these alone', namespaces: served }))

for (const { name, form, options, namespaces } of long ? restricted : everyday) {
  test(`the main job: ${name}`, { ...options, timeout: chainMs }, async (t) => {
    const isShared = namespaces === undefined
    const job = createJob(await (isShared ? sharedPlatform(form) : startPlatform(t, form, { namespaces })))
    const steps: Readonly<Record<string, () => Promise<void>>> = {
      'an agent is created from a recipe, and only by who may': () => creates(job),
      'it is invoked, by a caller who waits': () => invokes(job),
      'a run is watched live, to its end, and again from any place': () => watches(job),
      'it is changed, and the difference is seen': () => changes(job),
      'it is rolled back': () => rollsBack(job),
      'a run waits for an approval, and goes on with one': () => approves(job),
      'a run is cancelled, paused or at work': () => cancels(job),
      'its logs are read as the caller': () => readsLogs(job),
      'UXM2, PODA17: every example is made from its file, and runs or says what it needs': () => runsExamples(job),
      'it is deleted, and its runs stay': () => deletes(job),
      'every step is in the audit log under its exact caller': () => isAudited(job),
      ...(namespaces === undefined
        ? {}
        : {
            'a third namespace is invisible to every caller': () => hidesOthers(job),
            'the API server has denied no request of the platform': () => deniesNothing(job),
          }),
    }
    await inOrder(t, steps)
  })
}

async function inOrder(t: TestContext, steps: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  let failed = false
  for (const [name, step] of Object.entries(steps))
    await t.test(name, { skip: failed && 'an earlier step failed' }, async () => {
      failed = true
      await step()
      failed = false
    })
}

type Job = ReturnType<typeof createJob>

function createJob(platform: Platform) {
  const ask = (persona: Persona, method: string, path: string, body?: unknown): Promise<RawAnswer> =>
    platform.send({
      method,
      path: `/api${path}`,
      bearer: platform.tokens[persona],
      ...(body === undefined ? {} : { body }),
    })
  /** Polls until the response matches; bounded by the test's own time limit. */
  const until = async <T>(path: string, holds: (found: T) => boolean, persona: Persona = 'developer'): Promise<T> => {
    for (;;) {
      const answer = await ask(persona, 'GET', path)
      if (answer.status === 200 && holds(answer.json<T>())) return answer.json<T>()
      await pause(50)
    }
  }
  return { ask, until, platform, made: { run: '' } }
}

async function create({ ask }: Job, config: object): Promise<void> {
  const made = await ask('developer', 'POST', '/agents', { namespace: 'default', config })
  assert.equal(made.status, 201, made.text)
}

async function creates(job: Job): Promise<void> {
  const { items } = (await job.ask('viewer', 'GET', '/recipes')).json<{
    items: { id: string; config: { name: string } }[]
  }>()
  const hello = items.find(({ id }) => id === 'hello')
  const denied = await job.ask('viewer', 'POST', '/agents', { namespace: 'default', config: hello?.config })
  assert.equal(denied.status, 403)
  assert.equal((await job.ask('other-tenant', 'GET', '/agents/default/hello')).status, 403)
  await create(job, hello?.config ?? {})
  const approval = items.find(({ id }) => id === 'assistant-with-approval')
  await create(job, { ...approval?.config, name: 'assistant' })
}

async function invokes({ ask, made }: Job): Promise<void> {
  const answer = await ask('developer', 'POST', '/invoke', { ...ofHello, input: 'My name is Ada.' })
  assert.equal(answer.status, 200, answer.text)
  const { runId, state, output } = answer.json<{ runId: string; state: string; output: unknown }>()
  assert.deepEqual([state, output], ['succeeded', 'MOCK_OK'])
  made.run = runId
  const py = { agent: { namespace: 'default', name: 'py' }, input: 'x' }
  const unknown = await ask('developer', 'POST', '/invoke', py)
  assert.deepEqual([unknown.status, unknown.json()['detail']], [404, 'There is no agent py in default.'])
  assert.equal((await ask('viewer', 'POST', '/invoke', { ...ofHello, input: 'x' })).status, 403)
  assert.equal((await ask('viewer', 'GET', `/runs/${runId}`)).json<Run>().state, 'succeeded')
  assert.equal((await ask('other-tenant', 'GET', `/runs/${runId}`)).status, 404)
}

const ofHello = { agent: { namespace: 'default', name: 'hello' } }

async function watches({ ask, platform }: Job): Promise<void> {
  const queued = await ask('developer', 'POST', '/runs', { ...ofHello, input: 'Again.' })
  assert.equal(queued.status, 201, queued.text)
  const { id } = queued.json<Run>()
  const path = `/api/runs/${id}/events`
  const whole = await platform.send({ path, bearer: platform.tokens.viewer })
  const events = eventsOf(whole.text)
  const kinds = events.map(({ event }) => event)
  for (const kind of ['run.started', 'message.started', 'message.finished', 'run.succeeded'])
    assert.ok(kinds.includes(kind), `${kind} in ${kinds.join(' ')}`)
  assert.equal(kinds.at(-1), 'stream.end')
  const ids = seqsOf(events)
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
    'journal events have no hole',
  )
  const last = String(ids.at(-1))
  const later = await platform.send({ path, bearer: platform.tokens.viewer, headers: { 'last-event-id': '2' } })
  assert.deepEqual(seqsOf(eventsOf(later.text)), ids.slice(2))
  const ended = await platform.send({ path, bearer: platform.tokens.viewer, headers: { 'last-event-id': last } })
  assert.equal(ended.status, 204)
  const future = await platform.send({ path: `${path}?after=${Number(last) + 1}`, bearer: platform.tokens.viewer })
  assert.equal(future.status, 400, `UXL6: ${future.text}`)
  const tree = await ask('viewer', 'GET', `/runs/${id}/tree`)
  assert.equal(tree.status, 200, tree.text)
}

// Deltas have no id of their own, and the parser keeps the last one.
function seqsOf(events: readonly ParsedEvent[]): number[] {
  return events.flatMap(({ data }) => (JSON.parse(data) as { seq?: number }).seq ?? [])
}

function eventsOf(text: string): ParsedEvent[] {
  const events: ParsedEvent[] = []
  const parser = createSseParser((event) => events.push(event))
  parser.push(Buffer.from(text))
  return events
}

async function changes({ ask, until }: Job): Promise<void> {
  const read = await until<Agent>('/agents/default/hello', isSettled)
  const spec = { ...read.spec, systemPrompt: 'You greet people in French.' }
  const stale = { ...read, metadata: { ...read.metadata, resourceVersion: '1' }, spec }
  assert.equal((await ask('developer', 'PUT', '/agents/default/hello', stale)).status, 409)
  const put = await ask('developer', 'PUT', '/agents/default/hello', { ...read, spec })
  assert.equal(put.status, 200, put.text)
  await until<{ items: unknown[] }>('/agents/default/hello/versions', ({ items }) => items.length === 2)
  const diff = (await ask('viewer', 'GET', '/agents/default/hello/versions/diff?from=1&to=2')).status
  assert.equal(diff, 403, 'a viewer may not list revisions')
  const seen = await ask('developer', 'GET', '/agents/default/hello/versions/diff?from=1&to=2')
  const { patch } = seen.json<{ patch: { op: string; path: string; value: unknown }[] }>()
  assert.deepEqual(patch, [{ op: 'replace', path: '/systemPrompt', value: 'You greet people in French.' }])
}

interface Versions {
  readonly items: readonly { readonly createdBy: string | null; readonly createdByExact: boolean }[]
}

async function rollsBack({ ask, until }: Job): Promise<void> {
  const back = await ask('developer', 'POST', '/agents/default/hello/rollback', { revision: 1 })
  assert.equal(back.status, 200, back.text)
  assert.match(back.json<Agent>().spec.systemPrompt ?? '', /one friendly sentence/)
  await until<Agent>(
    '/agents/default/hello',
    (agent) => isSettled(agent) && agent.status?.candidateRevision === undefined,
  )
  const { items } = (await ask('developer', 'GET', '/agents/default/hello/versions')).json<{
    items: {
      source: string
      rollbackTo: number | null
      current: boolean
      revision: number
      formerRevisions: number[]
    }[]
  }>()
  const [newest] = items
  assert.deepEqual(
    [newest?.source, newest?.rollbackTo, newest?.current, newest?.formerRevisions],
    ['rollback', 1, true, [1]],
  )
  // UXM8: the run names the version that served it, by the first number of its content. A terminating pod may still serve a run.
  let answered: number | null | undefined
  do {
    const answer = await ask('developer', 'POST', '/invoke', { ...ofHello, input: 'x' })
    const { runId, state } = answer.json<{ runId: string; state: string }>()
    assert.equal(state, 'succeeded', answer.text)
    answered = (await until<Run>(`/runs/${runId}`, ({ agent }) => typeof agent?.revision === 'number')).agent?.revision
  } while (answered === 2)
  assert.equal(answered, 1)
  await until<Versions>('/agents/default/hello/versions', ({ items: all }) =>
    all.every(({ createdBy, createdByExact }) => createdByExact && createdBy === 'developer'),
  )
}

function isSettled({ metadata, status }: Agent): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
  return ready && status?.observedGeneration === metadata.generation
}

const ofAssistant = { agent: { namespace: 'default', name: 'assistant' } }

async function approves({ ask, until }: Job): Promise<void> {
  for (const [decision, ended] of [
    ['approve', 'succeeded'],
    ['reject', 'rejected'],
  ] as const) {
    const paused = await ask('developer', 'POST', '/invoke', { ...ofAssistant, input: 'Please approve.' })
    const { runId, state } = paused.json<{ runId: string; state: string }>()
    assert.equal(state, 'paused', paused.text)
    const { pauseReason, interrupts } = (await ask('viewer', 'GET', `/runs/${runId}`)).json<Run>()
    assert.deepEqual([pauseReason, interrupts[0]?.tool], ['approval_required', 'calculate'])
    assert.equal((await ask('viewer', 'POST', `/runs/${runId}/resume`, { decision })).status, 403)
    assert.equal((await ask('other-tenant', 'POST', `/runs/${runId}/resume`, { decision })).status, 404)
    const resumed = await ask('developer', 'POST', `/runs/${runId}/resume`, { decision })
    assert.equal(resumed.status, 202, resumed.text)
    const run = await until<Run>(`/runs/${runId}`, (one) => isFinal(one.state))
    assert.equal(run.state, ended, JSON.stringify(run))
    if (decision === 'approve') assert.equal(run.output, 'The answer is 42.')
    const again = await ask('developer', 'POST', `/runs/${runId}/resume`, { decision })
    assert.deepEqual([again.status, again.json<{ code: string }>().code], [409, 'run_not_paused'])
  }
}

function isFinal(state: string): boolean {
  return ['succeeded', 'failed', 'rejected', 'timed_out', 'cancelled'].includes(state)
}

async function cancels(job: Job): Promise<void> {
  const { ask, until } = job
  await create(job, { name: 'endless', runtime: { command: endless } })
  const paused = await ask('developer', 'POST', '/invoke', { ...ofAssistant, input: 'Please ask.' })
  assert.equal(paused.json<Run>().state, 'paused', paused.text)
  const working = await ask('developer', 'POST', '/runs', {
    agent: { namespace: 'default', name: 'endless' },
    input: 'x',
  })
  const { id } = working.json<Run>()
  await until<Run>(`/runs/${id}`, ({ state }) => state === 'running')
  for (const run of [paused.json<{ runId: string }>().runId, id]) {
    assert.equal((await ask('viewer', 'POST', `/runs/${run}/cancel`)).status, 403)
    const cancelled = await ask('developer', 'POST', `/runs/${run}/cancel`)
    assert.equal(cancelled.status, 202, cancelled.text)
    const { state } = await until<Run>(`/runs/${run}`, (one) => isFinal(one.state))
    assert.equal(state, 'cancelled')
    assert.equal((await ask('developer', 'POST', `/runs/${run}/cancel`)).json<{ code: string }>().code, 'run_terminal')
  }
}

async function readsLogs({ ask }: Job): Promise<void> {
  // Logs of the newest pod: after a rollout the previous one may still serve a run.
  let logs: RawAnswer
  do {
    await ask('developer', 'POST', '/invoke', { ...ofHello, input: 'My name is Ada.' })
    logs = await ask('developer', 'GET', '/agents/default/hello/logs?tail=20')
    assert.equal(logs.status, 200, logs.text)
  } while (!logs.text.includes('"mesh.run.state":"succeeded"'))
  assert.doesNotMatch(logs.text, /Ada|MOCK_OK/, 'what was said is in no log')
  assert.equal((await ask('viewer', 'GET', '/agents/default/hello/logs')).status, 403)
}

interface ListedAgent {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] }
}

const examples = new URL('../../examples/', import.meta.url)

async function runsExamples({ ask, until, platform }: Job): Promise<void> {
  for (const file of readdirSync(examples).filter((name) => name.endsWith('.yaml'))) {
    const made = await platform.send({
      method: 'POST',
      path: '/api/agents?namespace=demo',
      bearer: platform.tokens.developer,
      contentType: 'application/yaml',
      body: Buffer.from(readFileSync(new URL(file, examples), 'utf8').replace(/^name: /m, 'name: example-')),
    })
    assert.equal(made.status, 201, `${file}: ${made.text}`)
  }
  const say = async (name: string, input: string): Promise<{ state: string; output: unknown }> => {
    const answer = await ask('developer', 'POST', '/invoke', { agent: { namespace: 'demo', name }, input })
    assert.equal(answer.status, 200, answer.text)
    return answer.json<{ state: string; output: unknown }>()
  }
  assert.deepEqual(await say('example-hello', 'Hi.').then(({ output }) => output), 'MOCK_OK')
  assert.deepEqual(await say('example-shout', 'hi').then(({ output }) => output), 'HI')
  assert.equal((await say('example-assistant', 'approve 6 * 7')).state, 'paused')
  // The log of a job exists once its process has started.
  for (let text = ''; !text.includes('digest: MOCK_OK'); await pause(50))
    text = (await ask('developer', 'GET', '/agents/demo/example-nightly-digest/logs')).text
  const [launcher, agent] = await Promise.all(
    ['launcher', 'agent'].map((name) => ask('developer', 'GET', `/agents/demo/example-shout/logs?container=${name}`)),
  )
  assert.match(launcher?.text ?? '', /"launcher":"example-shout"/, 'UXL3')
  assert.doesNotMatch(agent?.text ?? '', /"launcher":/, 'UXL3: the streams are separate')
  await until<ListedAgent>('/agents/demo/example-reviewer', ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'ImageNeedsContainerRuntime'),
  )
  await until<ListedAgent>('/agents/demo/example-indexer', ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'VolumesNeedContainers'),
  )
}

async function deletes({ ask, until, made }: Job): Promise<void> {
  assert.equal((await ask('viewer', 'DELETE', '/agents/default/hello')).status, 403)
  assert.equal((await ask('developer', 'DELETE', '/agents/default/hello')).status, 204)
  assert.equal((await ask('developer', 'DELETE', '/agents/default/hello')).status, 404)
  // Its runs remain until their retention ends; runs in progress are cancelled.
  const open = (items: readonly { state: string }[]): boolean =>
    items.some(({ state }) => ['queued', 'running', 'paused', 'cancelling'].includes(state))
  await until<{ items: { state: string }[] }>('/runs?namespace=default&agent=hello', ({ items }) => !open(items))
  assert.equal((await ask('developer', 'GET', `/runs/${made.run}`)).status, 200)
}

interface AuditRow {
  readonly actor: string
  readonly action: string
  readonly resource_kind: string
  readonly resource_name: string
  readonly outcome: string
  readonly source: string
}

async function isAudited({ ask, until }: Job): Promise<void> {
  assert.equal((await ask('developer', 'GET', '/audit?namespace=default')).status, 403)
  const count = (items: readonly AuditRow[]): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const { actor, action, resource_kind: resourceKind, resource_name: resourceName, outcome } of items) {
      const name = resourceKind === 'AgentDeployment' ? resourceName : '*'
      const key = `${actor} ${action} ${resourceKind} ${name} ${outcome}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    return counts
  }
  const wanted: Readonly<Record<string, number>> = {
    'developer create AgentDeployment hello success': 1,
    'developer create AgentDeployment assistant success': 1,
    'developer create AgentDeployment endless success': 1,
    'developer update AgentDeployment hello success': 1,
    'developer rollback AgentDeployment hello success': 1,
    'developer delete AgentDeployment hello success': 1,
    'viewer delete AgentDeployment hello denied': 1,
    'developer approve Run * success': 1,
    'developer reject Run * success': 1,
    'developer cancel Run * success': 2,
  }
  // At least these: the number of log reads depends on the rollout.
  const made = 'developer create Run * success'
  const has = (items: readonly AuditRow[]): boolean => {
    const counts = count(items)
    const all = Object.entries(wanted).every(([key, number]) => (counts[key] ?? 0) >= number)
    return all && (counts[made] ?? 0) >= 8
  }
  const deadline = performance.now() + 90_000
  const { items } = await until<{ items: AuditRow[] }>(
    '/audit?namespace=default&limit=200',
    (page) => has(page.items) || performance.now() > deadline,
    'operator',
  )
  const counts = count(items)
  const found = Object.fromEntries(Object.keys(wanted).map((key) => [key, counts[key] ?? 0]))
  assert.deepEqual(found, wanted, JSON.stringify(counts, undefined, 1))
  assert.ok((counts[made] ?? 0) >= 8, `${counts[made]} runs`)
  // Other files of this process use the platform, too, and may write objects without the name of a client.
  const own = new Set(items.filter(({ source }) => source === 'bff').map(({ resource_name: name }) => name))
  const guessed = items.filter(
    ({ resource_kind: kind, resource_name: name, action, actor }) =>
      // A roll-out is a transition that the manager reports, no change of the agent.
      kind === 'AgentDeployment' && own.has(name) && action !== 'deploy' && !['developer', 'viewer'].includes(actor),
  )
  assert.deepEqual(guessed, [], 'no change of an agent is without its exact caller')
}

// `other` exists, and other-tenant has the permissions of a developer there.
async function hidesOthers({ ask, platform }: Job): Promise<void> {
  const { kube, tokens } = platform
  const agent = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata: { name: 'unseen' } }
  const path = '/apis/mesh.dev/v1alpha1/namespaces/other/agentdeployments'
  const spec = { model: { route: 'mock' }, systemPrompt: 'x' }
  const made = await kube({ method: 'POST', path, bearer: tokens.admin, body: { ...agent, spec } })
  assert.equal(made.status, 201, made.text)
  const asked = [
    ['GET', '/agents/other/unseen'],
    ['GET', '/agents/nowhere/unseen'],
    ['GET', '/agents?namespace=other'],
    ['GET', '/runs?namespace=other'],
    ['DELETE', '/agents/other/unseen'],
    ['PUT', '/namespaces/other/display-name', { displayName: 'x' }],
    ['POST', '/agents', { namespace: 'other', config: { name: 'x', model: { route: 'mock' }, systemPrompt: 'x' } }],
    ['POST', '/invoke', { agent: { namespace: 'other', name: 'unseen' }, input: 'x' }],
  ] as const
  for (const [method, url, body] of asked)
    for (const persona of ['other-tenant', 'viewer', 'operator', 'admin'] as const) {
      const { status, text, json } = await ask(persona, method, url, body)
      const { code, title } = json<{ code: string; title: string }>()
      assert.deepEqual([status, code], [404, 'namespace_not_served'], `${persona} ${method} ${url}: ${text}`)
      assert.equal(title, 'This installation does not serve the namespace.')
      assert.doesNotMatch(text, /"cluster":/)
    }
  const anonymous = await platform.send({ method: 'GET', path: '/api/agents/other/unseen' })
  assert.equal(anonymous.status, 401)
  for (const url of ['/agents', '/agents?scope=permitted', '/namespaces', '/namespaces?scope=permitted']) {
    const { status, text, json } = await ask('operator', 'GET', url)
    assert.equal(status, 200, text)
    const { items } = json<{ items: readonly { metadata: { name: string; namespace?: string } }[] }>()
    const found = new Set(items.map(({ metadata }) => metadata.namespace ?? metadata.name))
    assert.ok(found.size > 0 && [...found].every((name) => served.includes(name)), `${url}: ${[...found].join()}`)
  }
  assert.equal((await ask('viewer', 'GET', '/agents')).status, 403, 'a list of everything needs the right to it')
}

async function deniesNothing({ platform }: Job): Promise<void> {
  const ofPlatform = (await platform.upstream.since(0)).filter(({ user }) =>
    user.startsWith('system:serviceaccount:mesh-system:'),
  )
  assert.deepEqual(
    ofPlatform.filter(({ status }) => status === 403),
    [],
  )
  // Each role with an account was observed, and no request concerned another namespace.
  const accounts = new Set(ofPlatform.map(({ user }) => user.replace('system:serviceaccount:mesh-system:mesh-', '')))
  assert.deepEqual([...accounts].toSorted(), ['gateway', 'manager', 'state'])
  const namespaces = ofPlatform.flatMap(({ uri }) => /\/namespaces\/([^/?]+)/.exec(uri)?.[1] ?? [])
  assert.deepEqual([...new Set(namespaces)].toSorted(), served)
  const watched = ofPlatform.filter(({ verb }) => verb === 'watch').map(({ uri }) => uri)
  assert.ok(watched.length > 0)
  for (const uri of watched)
    assert.match(uri, /\/namespaces\/(?:default|demo)\/|fieldSelector=metadata\.name%3D(?:default|demo)|\/tenants\?/)
}
