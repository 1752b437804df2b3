import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEvent } from '#schemas/api/audit.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { createSend } from '../flows/platform/send.ts'
import type { RawAnswer, Send } from '../flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A running installation with the plugin of `testdata/shelves`. */
export interface Installed {
  readonly url: string
  readonly kubeconfig: string
  readonly tokens: Readonly<Record<string, string>>
}

const path = '/api/x/shelves/shelves'
const shelf = (name: string, capacity: number, namespace = 'default') => ({
  metadata: { name, namespace },
  spec: { capacity },
})

/** Asks as a persona: `POST /path`. */
export type Asked = (who: string, line: string, body?: object) => Promise<RawAnswer>

/** Creates {@link Asked} for an installation. */
export function asker(t: Scope, { url, tokens }: Installed): Asked {
  const send: Send = createSend(t, url)
  return (who: string, line: string, body?: object) => {
    const [method = '', to = ''] = line.split(' ')
    return send({ method, path: to, bearer: tokens[who] ?? '', ...(body === undefined ? {} : { body }) })
  }
}

/** Create, read, replace and delete with HTTP, and what each persona may do. */
export async function checkCrud(t: Scope, installed: Installed): Promise<void> {
  const ask = asker(t, installed)
  const created = await ask('developer', `POST ${path}`, shelf('novels', 10))
  assert.deepEqual([created.status, created.headers['location']], [201, `${path}/default/novels`], created.text)
  const wrong = await ask('developer', `POST ${path}`, shelf('wrong', 0))
  assert.equal(wrong.status, 400, wrong.text)
  assert.match(wrong.text, /"pointer":"\/spec\/capacity"/)
  assert.equal((await ask('developer', `PUT ${path}/default/novels`, shelf('novels', 20))).status, 200)
  const list = await ask('viewer', `GET ${path}?namespace=default`)
  assert.deepEqual(
    list.json<{ items: { spec: object }[] }>().items.map(({ spec }) => spec),
    [{ capacity: 20 }],
  )
  const permitted = await ask('viewer', `GET ${path}?scope=permitted`)
  assert.equal(permitted.json<{ items: object[] }>().items.length, 1, permitted.text)
  assert.equal((await ask('viewer', `POST ${path}`, shelf('denied', 1))).status, 403)
  assert.equal((await ask('other-tenant', `GET ${path}/default/novels`)).status, 403)
  const missing = await ask('viewer', `GET ${path}/default/none`)
  assert.deepEqual([missing.status, missing.json()['detail']], [404, 'There is no shelf none in default.'])
}

/** The answers of the API and of the API server agree for each persona, verb and namespace. */
export async function checkMatrix(t: Scope, installed: Installed): Promise<void> {
  const ask = asker(t, installed)
  for (const who of ['operator', 'developer', 'viewer', 'other-tenant'])
    for (const namespace of ['default', 'other']) {
      const item = `${path}/${namespace}/matrix`
      const asked: Readonly<Record<string, () => ReturnType<typeof ask>>> = {
        list: () => ask(who, `GET ${path}?namespace=${namespace}`),
        get: () => ask(who, `GET ${item}`),
        create: () => ask(who, `POST ${path}?dryRun=All`, shelf('matrix', 1, namespace)),
        delete: () => ask(who, `DELETE ${item}?dryRun=All`),
      }
      for (const [verb, call] of Object.entries(asked)) {
        const question = ['auth', 'can-i', verb, 'shelves.library.example', '-n', namespace, '--context', who]
        const may = await kubectl(installed.kubeconfig, question)
        const answer = await call()
        assert.equal(answer.status !== 403, may.stdout.trim() === 'yes', `${who} ${verb} ${namespace}: ${answer.text}`)
      }
    }
}

// The audited field of the kind, before and after an update.
function capacities(changes: unknown): string {
  const { capacity } = (changes ?? {}) as { capacity?: { from: number; to: number } }
  return capacity === undefined ? '' : `${capacity.from}>${capacity.to}`
}

/** kubectl knows the kind, and what it does is audited like acts of the API: with one name of the kind (CON12). */
export async function checkAudit(t: Scope, installed: Installed): Promise<void> {
  const ask = asker(t, installed)
  const run = async (...args: readonly string[]) => {
    const done = await kubectl(installed.kubeconfig, args)
    assert.equal(done.code, 0, done.stderr)
    return done.stdout
  }
  assert.match(await run('get', 'shelves', '--context', 'viewer'), /novels/)
  await run('patch', 'shelf', 'novels', '--type=merge', '-p', '{"spec":{"capacity":30}}', '--context', 'developer')
  assert.equal((await ask('developer', `DELETE ${path}/default/novels`)).status, 204)
  const rows = async () => {
    const answer = await ask('operator', 'GET /api/audit?kind=Shelf&limit=100')
    return answer
      .json<{ items: AuditEvent[] }>()
      .items.map(({ actor, action, resource_name: name, outcome, detail }) =>
        [actor, action, name, outcome, capacities(detail['changes'])].join(' ').trim(),
      )
  }
  const wanted = [
    'developer create novels success',
    'developer update novels success 10>20',
    'developer update novels success 20>30',
    'developer delete novels success',
    'viewer create denied denied',
  ]
  let missing = wanted
  for (const end = performance.now() + 20_000; missing.length > 0 && performance.now() < end; await pause(200)) {
    const found = new Set(await rows())
    missing = wanted.filter((row) => !found.has(row))
  }
  assert.deepEqual(missing, [], (await rows()).join('\n'))
}

/** The event feed shows changes of the kind to those who may read it. */
export async function checkEvents({ url, tokens }: Installed): Promise<void> {
  const read = async (who: string): Promise<string> => {
    const headers = { authorization: `Bearer ${tokens[who] ?? ''}` }
    const answer = await fetch(`${url}/api/events?namespace=default&after=start`, { headers })
    if (answer.status !== 200) return String(answer.status)
    let text = ''
    const decoder = new TextDecoder()
    const end = performance.now() + 3_000
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      if (text.includes('/Shelf/novels') || performance.now() > end) break
    }
    return text
  }
  assert.match(await read('developer'), /"subject":"default\/Shelf\/novels"/)
}

/** kube-apiserver accepts the CRDs and roles that `mesh manifests` prints, and serves the kind. */
export async function checkManifests(t: Scope, manifests: string): Promise<void> {
  const kube = await sharedKube(t)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  t.after(() => kubectl(config, ['delete', '-f', '-', '--ignore-not-found', '--wait=false'], manifests))
  const sample = { apiVersion: 'library.example/v1alpha1', kind: 'Shelf', ...shelf('real', 5) }
  for (const [args, input] of [
    [['apply', '--server-side', '-f', '-'], manifests],
    [['wait', '--for=condition=Established', '--timeout=30s', 'crd/shelves.library.example'], ''],
    [['create', '-f', '-'], JSON.stringify(sample)],
    [['get', 'shelf', 'real', '--as=system:serviceaccount:mesh-system:mesh-manager'], ''],
  ] as const) {
    const done = await kubectl(config, args, input)
    assert.equal(done.code, 0, `${args.join(' ')}: ${done.stderr}`)
  }
}
