import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { runForTest } from '#core/host/testing/run-command.ts'
import { loadThirdParties } from '#core/host/third-party/third-party.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { RouteCase, Target } from '#test/contract/routes/route-case.ts'
import { fillStored } from '#test/contract/routes/fill-stored.ts'
import { storedCases } from '#test/contract/routes/routes-stored.ts'
import { EXISTING } from '#test/contract/routes/world.ts'
import type { World } from '#test/contract/routes/world.ts'
import { startEmbedded } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import type { Send } from '#test/flows/platform/send.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const folder = fileURLToPath(new URL('..', import.meta.url))
const files = ['./bookmarks/bookmarks.ts', './snippets/snippets.ts']

/** A running platform with both plugins, and two namespaces with different rights. */
interface Stored {
  /** Sends to the API. */
  readonly send: Send
  /** Sends to the API server, which knows the rights. */
  readonly kube: Send
  readonly tokens: Readonly<Record<string, string>>
  readonly namespaces: readonly [string, string]
}

function writeConfig(t: TestContext): string {
  const temp = tempFolder('stored')
  t.after(temp.remove)
  const config = join(temp.path, 'mesh.yaml')
  writeFileSync(config, `plugins: [${files.map((file) => join(folder, file)).join(', ')}]\n`)
  return config
}

async function onEmbedded(t: TestContext): Promise<Stored> {
  const { send, kube, tokens } = await startEmbedded(t, { env: { MESH_CONFIG: writeConfig(t) } })
  return { send, kube, tokens, namespaces: ['demo', 'other'] }
}

/** A BFF on PostgreSQL and a kube-apiserver, with the roles of `mesh manifests`. */
async function onCluster(t: TestContext): Promise<Stored> {
  const env = { MESH_CONFIG: writeConfig(t), DATABASE_URL: await createDatabase(t) }
  const server = await sharedKube(t)
  const namespaces = [`stored-${process.pid}-a`, `stored-${process.pid}-b`] as const
  await bindRoles(t, { server, env, namespaces })
  const composed = await composeHost({
    roles: ['migrate', 'bff'],
    plugins: [],
    version: '0.0.0',
    env,
    presets: { listen: { host: '127.0.0.1', bff: 0, admin: 0 } },
    cluster: { server: server.url, tls: { ca: server.ca }, bearerOf: () => undefined },
    generateKeys: true,
    log: createLogger({ level: 'error' }),
  })
  t.after(() => composed.close())
  await composed.host.start()
  const database = await openDatabase({ url: env.DATABASE_URL })
  t.after(() => database.close())
  // As the manager observes them.
  for (const name of namespaces)
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${`uid-${name}`}, 'Namespace', '', ${name}, '1', '')`.execute(database.root)
  const send = createSend(t, composed.host.addresses()['bff'] ?? '')
  return { send, kube: createSend(t, server.url, server.ca), tokens: server.tokens, namespaces }
}

interface Bound {
  readonly server: Awaited<ReturnType<typeof sharedKube>>
  readonly env: Readonly<Record<string, string>>
  readonly namespaces: readonly [string, string]
}

async function bindRoles(t: TestContext, { server, env, namespaces: [a, b] }: Bound): Promise<void> {
  const admin = server.kubeconfig(server.tokens['admin'] ?? '')
  const manifests = await runForTest('manifests', ['--third-party'], { env })
  assert.deepEqual([manifests.code, manifests.err], [0, ''])
  const run = async (args: readonly string[], input?: string) => {
    const done = await kubectl(admin, args, input)
    assert.equal(done.code, 0, done.stderr)
  }
  t.after(async () => {
    await kubectl(admin, ['delete', 'namespace', a, b, '--wait=false'])
    await kubectl(admin, ['delete', '-f', '-', '--ignore-not-found', '--wait=false'], manifests.out)
  })
  await run(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifests.out)
  for (const namespace of [a, b]) await run(['create', 'namespace', namespace])
  for (const [namespace, user, ...roles] of [
    [a, 'viewer', 'viewer'],
    [a, 'developer', 'viewer', 'developer'],
    [a, 'operator', 'viewer', 'developer', 'operator'],
    [b, 'operator', 'viewer', 'developer', 'operator'],
    [b, 'other-tenant', 'viewer', 'developer'],
  ] as const)
    for (const plugin of ['bookmarks', 'snippets'])
      for (const role of roles) {
        // Only the plugin with a protected label has a role of operators.
        if (role === 'operator' && plugin === 'bookmarks') continue
        const name = `mesh-plugin-${plugin}-${role}`
        await run([
          'create',
          'rolebinding',
          `${user}-${name}`,
          `--clusterrole=${name}`,
          `--user=${user}`,
          '-n',
          namespace,
        ])
      }
}

const people = ['viewer', 'developer', 'operator', 'other-tenant'] as const
const noWorld = {} as World

interface Asked {
  readonly who: string
  readonly route: string
  readonly one: RouteCase
  readonly target: Target
}

/** Sends one request to the API server and to the API, and compares. Returns the status of the response. */
async function holdRequest({ send, kube, tokens }: Stored, { who, route, one, target }: Asked): Promise<number> {
  const bearer = tokens[who]
  const answer = await send({ ...one.request(target, noWorld), bearer })
  const place = `${who} ${route} ${JSON.stringify(target)}: ${answer.text}`
  for (const { virtual: _, ...question } of one.questions(target, noWorld)) {
    const asked = await kube({ ...question, bearer })
    if (asked.status !== 403) continue
    assert.equal(answer.status, 403, place)
    const { message = '' } = asked.json<{ message?: string }>()
    const { cluster } = answer.json<{ cluster?: { message?: string } }>()
    assert.equal(cluster?.message, message.split(': RBAC: ', 1)[0], place)
    return answer.status
  }
  const { status, code } = one.allowed(target)
  assert.deepEqual([answer.status, status < 400 ? undefined : answer.json()['code']], [status, code], place)
  return answer.status
}

async function holdAll(rig: Stored, plugins: readonly AnyPlugin[]): Promise<void> {
  const seen = new Map<string, Set<boolean>>()
  for (const { name, stored = [] } of plugins)
    for (const slot of stored) {
      const prefix = `/api/x/${name}`
      for (const namespace of rig.namespaces)
        await fillStored(rig.send, slot, { bearer: rig.tokens['admin'], namespace, name: EXISTING, prefix })
      for (const [route, one] of Object.entries(storedCases(slot, prefix)))
        for (const who of people)
          for (const target of targetsOf(rig, one)) {
            const status = await holdRequest(rig, { who, route, one, target })
            seen.set(route, (seen.get(route) ?? new Set()).add(status === 403))
          }
      for (const [route, one] of Object.entries(storedCases(slot, prefix))) {
        const [target] = targetsOf(rig, one)
        assert.ok(target)
        for (const bearer of [undefined, 'garbage'])
          assert.equal((await rig.send({ ...one.request(target, noWorld), bearer })).status, 401, route)
      }
    }
  assert.ok(seen.size >= 14, String(seen.size))
  for (const [route, outcomes] of seen) assert.equal(outcomes.size, 2, `${route} is both allowed and refused`)
}

function targetsOf({ namespaces }: Stored, { over }: RouteCase): readonly Target[] {
  if (over === 'namespaces') return ['', ...namespaces].map((namespace) => ({ namespace, exists: true }))
  return namespaces.flatMap((namespace) => [true, false].map((exists) => ({ namespace, exists })))
}

/** Whether the API server allows a verb that no request has. */
async function mayPromote({ kube, tokens }: Stored, who: string, namespace: string): Promise<boolean> {
  const answer = await kube({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    bearer: tokens[who],
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: { group: 'mesh.dev', resource: 'snippets', verb: 'promote', namespace, name: 'matrix' },
      },
    },
  })
  return answer.json<{ status: { allowed: boolean } }>().status.allowed
}

async function holdPromotions(rig: Stored): Promise<void> {
  const outcomes = new Set<string>()
  for (const who of people)
    for (const namespace of rig.namespaces) {
      const path = `/api/x/snippets/snippets/${namespace}/matrix/labels`
      const move = (label: string) =>
        rig.send({
          method: 'PUT',
          path: `${path}/${label}?dryRun=All`,
          bearer: rig.tokens[who],
          body: { version: 1 },
        })
      const [free, guarded] = [await move('staging'), await move('production')]
      const may = free.status === 200 && (await mayPromote(rig, who, namespace))
      assert.equal(guarded.status, may ? 200 : 403, `${who} ${namespace}: ${guarded.text}`)
      outcomes.add(`${free.status} ${guarded.status}`)
    }
  assert.deepEqual([...outcomes].toSorted(), ['200 200', '200 403', '403 403'])
  const page = await rig.send({
    path: `/api/x/snippets/snippets/${rig.namespaces[0]}/matrix/history`,
    bearer: rig.tokens['admin'],
  })
  assert.deepEqual(page.json()['items'], [], 'a dry run stores nothing')
}

for (const [form, start, servers] of [
  ['the embedded API server and PGlite', onEmbedded, {}],
  ['kube-apiserver and PostgreSQL', onCluster, needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb')],
] as const)
  test(
    `routes of stored resources allow what the API server allows: ${form}`,
    { timeout: 480_000, ...servers },
    async (t) => {
      const plugins = await loadThirdParties(files, { folder, plugins: [], profile: 'open' })
      const rig = await start(t)
      await holdAll(rig, plugins)
      await holdPromotions(rig)
    },
  )
