import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { startAll } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from './page-files.ts'

const page = fileURLToPath(new URL('../../docs/how-to/run-steps.md', import.meta.url))

interface Run {
  readonly id: string
  readonly state: string
  readonly subject: string
  readonly parentRunId: string | null
  readonly trigger: { readonly kind: string }
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

test('the plugin of docs/how-to/run-steps.md answers a brief in two steps', { timeout: 480_000 }, async (t) => {
  const folder = tempFolder('briefs')
  t.after(folder.remove)
  const files = filesOfPage(page)
  assert.deepEqual([...files.keys()].toSorted(), [
    'briefs/brief.ts',
    'briefs/executor.ts',
    'briefs/index.ts',
    'briefs/reconciler.ts',
    'briefs/routes.ts',
    'mesh.yaml',
  ])
  for (const [path, text] of files) {
    const file = join(folder.path, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const { ready } = await startAll(t, join(folder.path, 'data'), {
    env: { MESH_CONFIG: join(folder.path, 'mesh.yaml') },
  })
  const send = createSend(t, ready.url)
  const ask = (who: keyof typeof ready.tokens, method: string, path: string, body?: object) =>
    send({ method, path, bearer: ready.tokens[who], ...(body === undefined ? {} : { body }) })
  const until = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
    for (const end = performance.now() + 90_000; performance.now() < end;) {
      const found = await look()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    throw new Error(what)
  }
  const briefs = '/api/x/briefs/briefs'
  const created = await ask('developer', 'POST', briefs, {
    metadata: { name: 'why', namespace: 'demo' },
    spec: { agent: 'hello', question: 'Why?' },
  })
  assert.equal(created.status, 201, created.text)
  assert.equal((await ask('viewer', 'POST', `${briefs}/demo/why/run`)).status, 403)
  const started = await ask('developer', 'POST', `${briefs}/demo/why/run`)
  assert.equal(started.status, 201, started.text)
  const { runId } = started.json<{ runId: string }>()
  const read = async (id: string) => (await ask('developer', 'GET', `/api/runs/${id}`)).json<Run>()
  const run = await until('the brief ends', async () => {
    const now = await read(runId)
    return ['succeeded', 'failed', 'timed_out'].includes(now.state) ? now : undefined
  })
  assert.equal(run.state, 'succeeded', JSON.stringify(run.error))
  const listed = (await ask('developer', 'GET', '/api/runs?namespace=demo')).json<{ items: Run[] }>().items
  const children = listed.filter(({ parentRunId }) => parentRunId === runId).toReversed()
  const [first, second] = await Promise.all(children.map(({ id }) => read(id)))
  assert.ok(first !== undefined && second !== undefined)
  assert.deepEqual(
    [first, second].map(({ subject, trigger, state }) => [subject, trigger.kind, state]),
    [1, 2].map(() => ['developer', 'brief', 'succeeded']),
  )
  assert.deepEqual([first.input, second.input], ['Why?', { shorten: first.output }])
  const { answer, title, entries } = run.output as { answer: unknown; title: string; entries: number }
  assert.deepEqual([answer, title], [second.output, 'MOCK_OK'])
  assert.ok(entries > 0, 'the journal of the second step was read')
  const report = await ask('viewer', 'GET', `${briefs}/demo/why/runs/${runId}`)
  assert.deepEqual(report.json(), run.output)
  for (const wrong of ['x', '..', '%00', runId.replaceAll('0', '1')])
    assert.ok([400, 404].includes((await ask('viewer', 'GET', `${briefs}/demo/why/runs/${wrong}`)).status), wrong)
  await until('the reconciler is woken by the event', async () => {
    const { status } = (await ask('viewer', 'GET', `${briefs}/demo/why`)).json<{ status?: { finished?: number } }>()
    return status?.finished === 1 ? true : undefined
  })
  // The object store of `mesh all` is a folder.
  const index = join(folder.path, 'data', 'objects', 'briefs', 'index.json')
  const listing = await until('the job lists the briefs of the index', async () =>
    existsSync(index) && readFileSync(index, 'utf8').includes('why') ? readFileSync(index, 'utf8') : undefined,
  )
  assert.deepEqual(JSON.parse(listing), [{ namespace: 'demo', name: 'why', agent: 'hello' }])
  const facts = async (who: keyof typeof ready.tokens) =>
    (await ask(who, 'GET', `${briefs}/demo/facts`)).json<{ types: string[] }>().types
  assert.deepEqual(await facts('viewer'), ['com.acme.briefs.finished.v1'])
  const events = await ask('developer', 'GET', `/api/runs/${runId}/events`)
  assert.ok(events.text.includes('run.succeeded'))
})
