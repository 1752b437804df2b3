import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import type { KubeObject } from '#core/kube/client.ts'
import { keyOfPart, prefixOfRun } from '#plugins/recording/contract/format/part-key.ts'
import { endPart, modelPart, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { conceal } from '#core/log/secrets.ts'
import { parseLabel } from '#core/kube/names.ts'
import { objectKey } from '#core/objects/object-key.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { openS3 } from '#core/objects/testing/adapters.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { addBudgetedAgent, addRoutes, createLauncher, startStateRole } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import { Fixture } from '#schemas/runs/fixture.ts'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { startS3 } from '#test/harness/s3.ts'
import { recordingConsumers } from './consumers.ts'
import { createFixtureClient } from './fixture-client.ts'
import { recording } from './index.ts'
import { eraseRecordings } from './jobs.ts'
import { recordingRoutes } from './routes.ts'
import type { RecordingServices } from './services.ts'
import { recordingSettings } from './contract/settings.ts'

const namespace = `recorded-${process.pid}`
const unknown = '019a0000-0000-7000-8000-00000000ffff'
const MIB = 1024 * 1024
const quotas = { callsPerRun: 4, bytesPerRun: 3 * MIB, bytesPerNamespace: 4 * MIB }
const rbac = 'rbac.authorization.k8s.io'

/** The rights of a user in the namespace. */
function rightsOf(user: string, resources: readonly string[]): readonly KubeObject[] {
  const metadata = { name: user, namespace }
  const rules = [{ apiGroups: ['mesh.dev'], resources, verbs: ['get'] }]
  const roleRef = { apiGroup: rbac, kind: 'Role', name: user }
  return [
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules } as KubeObject,
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef,
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    } as KubeObject,
  ]
}

// One state role for all cases.
test('recordings', needs('kube-apiserver', 'etcd', 'postgres', 'initdb', 'versitygw'), async (t) => {
  const s3 = openS3(t, await startS3(t))
  let broken: 'put' | 'get' | undefined
  const fail = async (): Promise<never> =>
    Promise.reject(new (await import('#core/objects/object-store.ts')).ObjectStoreError('unavailable', 'x'))
  const objects: ObjectStore = {
    ...s3,
    put: (key, bytes) => (broken === 'put' ? fail() : s3.put(key, bytes)),
    get: (key, most) => (broken === 'get' && key.includes('/tool/') ? fail() : s3.get(key, most)),
  }
  const role = await startStateRole(t, { also: [recording as AnyPlugin], settingsOf: { recording: quotas }, objects })
  const { admin, url, database, store } = role
  await addRoutes(admin, namespace)
  for (const object of [...rightsOf('developer', ['runs', 'runs/fixture']), ...rightsOf('viewer', ['runs'])])
    await apply(admin, object)
  const world = createWorld(database)
  const observe = (uid: string, kind: string, name: string, of = namespace) =>
    sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${uid}, ${kind}, ${of}, ${name}, '1', '')`.execute(database.root)
  await observe('ns-uid', 'Namespace', namespace, '')
  const agentOf = async (name: string) => {
    const { uid, token } = await addBudgetedAgent(admin, namespace, name)
    await observe(uid, 'AgentDeployment', name)
    const send = async (part: unknown) => {
      const answer = await fetch(`${url}/recording/parts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: typeof part === 'string' ? part : JSON.stringify(part),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        code: text === '' ? undefined : (JSON.parse(text) as { code: string }).code,
        text,
      }
    }
    const run = async () => (await queueRunOf(world, { agent: { namespace, name, uid } })).id
    return { send, run, launcher: createLauncher(url, token) }
  }
  const [mine, other] = [await agentOf('mine'), await agentOf('other')]
  const read = async (runId: string, bearer = role.kube.tokens['developer']) => {
    const answer = await fetch(`${url}/recording/runs/${runId}/fixture`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    return { status: answer.status, text: await answer.text() }
  }
  const sizes = async () => {
    const rows = await sql<{ run_id: string; parts: number; bytes: string }>`
      select run_id, parts, bytes::text as bytes from recording_runs order by run_id`.execute(database.root)
    const used = await sql<{ bytes: string }>`select bytes::text as bytes from recording_usage`.execute(database.root)
    return { runs: rows.rows, used: Number(used.rows[0]?.bytes ?? 0) }
  }
  const erase = (days = 30) =>
    eraseRecordings(
      { store, settings: { ...Value.Create(recordingSettings), retentionDays: days }, removed: () => undefined },
      objects,
      new AbortController().signal,
    )

  await t.test(
    'K1: a recorded run is read by those who may get its fixture, merged and in its published form',
    async () => {
      const runId = await mine.run()
      const secret = conceal('a-registered-secret')
      for (const part of [toolPart(1, { q: secret }), modelPart(2, 'b'), modelPart(1, 'a'), endPart(2, 1)]) {
        const { status, text } = await mine.send({ ...part, runId })
        assert.deepEqual([status, text], [204, ''])
      }
      const answer = await read(runId)
      assert.equal(answer.status, 200, answer.text)
      const fixture = JSON.parse(answer.text) as Fixture
      assert.ok(Value.Check(Fixture, fixture), answer.text)
      assert.deepEqual(
        fixture.model.map(({ ordinal }) => ordinal),
        [1, 2],
      )
      assert.deepEqual([fixture.complete, fixture.tool[0]?.request.arguments], [true, { q: '[redacted]' }])
      const codeOf = async (bearer: string | undefined) => {
        const { status, text } = await read(runId, bearer)
        return [status, (JSON.parse(text) as { code: string }).code]
      }
      assert.deepEqual(await codeOf(role.kube.tokens['viewer']), [403, 'forbidden'])
      assert.deepEqual(await codeOf(role.kube.tokens['unbound']), [404, 'not_found'])
      assert.deepEqual(await codeOf('garbage'), [401, 'unauthenticated'])
      assert.equal((await mine.launcher.get(`/recording/runs/${runId}/fixture`)).status, 401, 'a pod is no user')
      assert.equal((await read('../parts')).status, 404)
    },
  )

  await t.test('F7: only the agent of a run records it; a run that recorded nothing has no fixture', async () => {
    const runId = await mine.run()
    for (const [agent, id] of [
      [other, runId],
      [mine, unknown],
    ] as const)
      assert.deepEqual(
        await agent.send({ ...modelPart(1, 'a'), runId: id }).then(({ status, code }) => [status, code]),
        [404, 'not_found'],
      )
    const { status, text } = await read(runId)
    assert.deepEqual([status, (JSON.parse(text) as { code: string }).code], [404, 'no_fixture'])
    assert.deepEqual(await s3.list(prefixOfRun(runId), { limit: 10 }), [])
  })

  await t.test(
    'F10: calls and bytes are bounded per run and namespace, and the end of an attempt is stored still',
    async () => {
      const before = (await sizes()).used
      const runId = await mine.run()
      for (let call = 1; call <= 4; call++)
        assert.equal((await mine.send({ ...modelPart(call, 'a'), runId })).status, 204)
      const fifth = await mine.send({ ...modelPart(5, 'a'), runId })
      assert.deepEqual([fifth.status, fifth.code], [429, 'recording_quota_exceeded'])
      assert.match(fifth.text, /recording\.callsPerRun/)
      assert.equal((await mine.send({ ...endPart(5, 0), runId })).status, 204)
      assert.deepEqual(
        (JSON.parse((await read(runId)).text) as Fixture).problems.map(({ code }) => code),
        ['missing'],
      )
      const large = 'x'.repeat(1.6 * MIB)
      const second = await mine.run()
      assert.equal((await mine.send({ ...modelPart(1, large), runId: second })).status, 204)
      assert.match((await mine.send({ ...modelPart(2, large), runId: second })).text, /recording\.bytesPerRun/)
      const third = await mine.run()
      assert.equal((await mine.send({ ...modelPart(1, large), runId: third })).status, 204)
      assert.match(
        (await mine.send({ ...modelPart(1, large), runId: await mine.run() })).text,
        /recording\.bytesPerNamespace/,
      )
      const after = await sizes()
      assert.ok(after.used > before && after.used < quotas.bytesPerNamespace, 'what was refused is not counted')
      assert.equal(
        after.used,
        after.runs.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      )
      assert.match(await role.metrics(), /mesh_recording_parts_total\{outcome="quota"\} 3/)
    },
  )

  await t.test(
    'an object store that fails is 502 without detail, its part is not counted, and a cut answer is no JSON',
    async () => {
      const runId = await mine.run()
      const before = await sizes()
      broken = 'put'
      const refused = await mine.send({ ...modelPart(1, 'a'), runId })
      assert.deepEqual([refused.status, refused.code], [502, 'recording_unavailable'])
      broken = undefined
      assert.equal((await sizes()).used, before.used)
      assert.match(await role.metrics(), /mesh_recording_parts_total\{outcome="failed"\} 1/)
      const lost = await read(runId)
      assert.equal(lost.status, 200, 'a recording whose every part was lost is there, and not complete')
      const { model, complete, problems } = JSON.parse(lost.text) as Fixture
      assert.deepEqual([model, complete, problems], [[], false, [{ code: 'no_end', channel: 'end', sequence: null }]])
      for (const part of [modelPart(1, 'a'), toolPart(1, {}), endPart(1, 1)]) await mine.send({ ...part, runId })
      broken = 'get'
      await assert.rejects(read(runId).then(({ text }) => JSON.parse(text)))
      broken = undefined
      const text = await read(runId)
      assert.equal((JSON.parse(text.text) as Fixture).complete, true)
      await objects.put(keyOfPart({ runId, channel: 'model', sequence: 100_001 }), Buffer.from('{"no":'))
      await objects.put(objectKey('runs', runId, 'model', 'foreign'), Buffer.from('x'))
      const found = JSON.parse((await read(runId)).text) as Fixture
      assert.deepEqual(
        found.problems.map(({ code }) => code),
        ['unreadable', 'missing'],
      )
    },
  )

  await t.test('F1, F5: hostile parts are refused by field, and nothing of them is stored', async () => {
    const runId = await mine.run()
    const part = { ...modelPart(1, 'a'), runId }
    const deep = `${'['.repeat(80)}${']'.repeat(80)}`
    for (const [body, status] of [
      ['', 400],
      ['{', 400],
      ['[]', 400],
      [{}, 400],
      [{ ...part, runId: '../../etc' }, 400],
      [{ ...part, runId: `${runId}/x` }, 400],
      [{ ...part, epoch: 2 ** 31 }, 400],
      [{ ...part, ordinal: 0 }, 400],
      [{ ...part, channel: '../end' }, 400],
      [{ ...part, extra: 1 }, 400],
      [JSON.stringify(part).replace('"a"', '"\\u0000"'), 400],
      [JSON.stringify(part).replace('"a"', '"\\ud800"'), 400],
      [JSON.stringify(part).replace('"a"', deep), 400],
      [JSON.stringify(part).replace('"model":"mock"', '"__proto__":{"x":1}'), 400],
      [{ ...modelPart(1, 'x'.repeat(2 * MAX_PART_BYTES)), runId }, 413],
    ] as const) {
      const answer = await mine.send(body)
      assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 200)}: ${answer.text.slice(0, 300)}`)
    }
    assert.deepEqual(await s3.list(prefixOfRun(runId), { limit: 10 }), [])
    const anonymous = await fetch(`${url}/recording/parts`, { method: 'POST', body: '{}' })
    assert.equal(anonymous.status, 401)
  })

  await t.test('the recording of a removed run is erased, at its time too, and its bytes are free again', async () => {
    const [gone, old, kept] = [await other.run(), await other.run(), await other.run()]
    for (const runId of [gone, old, kept]) assert.equal((await other.send({ ...modelPart(1, 'a'), runId })).status, 204)
    const [consumer] = recordingConsumers()
    await store.transact((tx) => consumer?.handle([{ data: { runId: gone } }] as never, tx) ?? Promise.resolve())
    assert.equal((await other.send({ ...modelPart(2, 'a'), runId: gone })).status, 404)
    // Later than any pause of this test.
    await sql`update recording_runs set updated_at = updated_at + interval '1 hour' where run_id = ${gone}`.execute(
      database.root,
    )
    await erase()
    assert.equal(
      (await s3.list(prefixOfRun(gone), { limit: 10 })).length,
      1,
      'a part that was accepted may still arrive',
    )
    await sql`update recording_runs set erase_at = erase_at - interval '2 minutes',
      updated_at = clock_timestamp() - interval '2 minutes' where run_id in (${gone}, ${old})`.execute(database.root)
    await sql`update recording_runs set created_at = created_at - interval '31 days' where run_id = ${old}`.execute(
      database.root,
    )
    const before = (await sizes()).used
    await erase()
    for (const runId of [gone, old]) assert.deepEqual(await s3.list(prefixOfRun(runId), { limit: 10 }), [], runId)
    assert.equal((await s3.list(prefixOfRun(kept), { limit: 10 })).length, 1)
    const after = await sizes()
    assert.deepEqual(
      after.runs.filter(({ run_id: id }) => id === gone || id === old),
      [],
    )
    assert.ok(after.used < before)
    assert.equal(
      after.used,
      after.runs.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    )
  })

  await t.test('the API shows how each call ended, and what a recording lacks', async () => {
    const runId = await mine.run()
    const failed = {
      kind: 'error',
      status: 502,
      code: 'bad_gateway',
      message: 'Provider demo/llm failed (500).',
    } as const
    const omitted = { kind: 'omitted', reason: 'too_large' } as const
    for (const part of [
      modelPart(1, 'a', { answer: failed }),
      modelPart(2, 'b', { answer: omitted }),
      toolPart(1, {}, { answer: failed }),
      toolPart(2, {}, { answer: omitted }),
      endPart(2, 2),
    ])
      assert.equal((await mine.send({ ...part, runId })).status, 204)
    const place = parseLabel('namespace', namespace)
    const endpoints = recordingRoutes({
      core: { urls: { state: url } },
      reviewFixture: async (caller, name) => ({
        access: await caller.review('get', 'runs/fixture', { namespace: place, name }),
      }),
    } as RecordingServices)
    const { app } = await buildServer(t, [{ endpoints }])
    const shown = await app.inject({
      url: `/api/runs/${runId}/fixture`,
      headers: { authorization: `Bearer ${role.kube.tokens['developer']}` },
    })
    assert.equal(shown.statusCode, 200, shown.body)
    const { model, tool, problems, complete } = shown.json<Fixture>()
    for (const calls of [model, tool])
      assert.deepEqual(
        calls.map(({ answer }) => answer),
        [failed, omitted],
      )
    assert.equal(complete, false)
    assert.deepEqual(
      problems.map(({ code, channel, sequence }) => [code, channel, typeof sequence]),
      [
        ['omitted', 'model', 'number'],
        ['omitted', 'tool', 'number'],
      ],
    )
  })

  await t.test(
    'the BFF passes a recording on, and has an error of its own for each failure of the state role',
    async () => {
      const runId = await mine.run()
      await mine.send({ ...modelPart(1, 'a'), runId })
      const bearer = role.kube.tokens['developer'] ?? ''
      const { signal } = new AbortController()
      const chunks: Buffer[] = []
      for await (const chunk of await createFixtureClient(url)({ runId, bearer, signal })) chunks.push(chunk as Buffer)
      assert.equal((JSON.parse(Buffer.concat(chunks).toString()) as Fixture).model.length, 1)
      for (const [status, code, expected] of [
        [404, 'no_fixture', 'no_fixture'],
        [404, 'not_found', 'not_found'],
        [501, 'not_wired', 'not_wired'],
        [401, 'unauthenticated', 'unauthenticated'],
        [403, 'forbidden', 'forbidden'],
        [500, 'internal_error', 'recording_unavailable'],
      ] as const) {
        const fake = createServer((_, response) => response.writeHead(status).end(JSON.stringify({ code })))
        const from = createFixtureClient(await listen(t, fake))
        await assert.rejects(from({ runId, bearer, signal }), { code: expected })
      }
      await assert.rejects(createFixtureClient('http://127.0.0.1:1')({ runId, bearer, signal }), {
        code: 'recording_unavailable',
      })
    },
  )
})

test('a state role without an object store: 501', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const { kube, url, admin, database } = await startStateRole(t, { also: [recording as AnyPlugin] })
  await addRoutes(admin, namespace)
  for (const object of rightsOf('developer', ['runs', 'runs/fixture'])) await apply(admin, object)
  await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values ('ns-uid', 'Namespace', ${namespace}, '', '1', '')`.execute(database.root)
  const run = await queueRunOf(createWorld(database), { agent: { namespace, name: 'a', uid: 'u' } })
  const answer = await fetch(`${url}/recording/runs/${run.id}/fixture`, {
    headers: { authorization: `Bearer ${kube.tokens['developer']}` },
  })
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [501, 'not_wired'])
})
