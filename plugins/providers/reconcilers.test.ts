import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import type { Condition } from '#schemas/kinds/object.ts'
import { findServer } from '#test/harness/find-server.ts'
import { secrets } from './upstream/key-binding.ts'
import { reportReconciler } from './reports/report-reconciler.ts'
import { providerReconciler, routeReconciler } from './reconcilers.ts'
import { routeVerdicts } from './status/route-status.ts'
import { reconcileIn, startNamespace } from './testing/manager.ts'
import type { ApiServerMake } from './testing/manager.ts'

const names: Readonly<Record<string, string>> = { 'api.example.com': '93.184.216.34', 'inside.example.com': '10.1.2.3' }

async function lookup(host: string) {
  const address = names[host]
  if (address === undefined) throw Object.assign(new Error('queryA'), { code: 'ENOTFOUND' })
  return [{ address }]
}

async function setUp(t: TestContext, make: ApiServerMake) {
  const cluster = await startNamespace(t, make, 'status')
  const { admin, manager, namespace } = cluster
  const options = {
    cluster: manager,
    outbound: createOutbound({ allow: [], lookup }),
    types: () => ['openai', 'mock'],
    now: () => new Date(),
    gatewayUrl: () => 'http://127.0.0.1:4000',
  }
  const reconcilers = [providerReconciler(options), routeReconciler(options)]
  reconcileIn(t, cluster, reconcilers)
  const kinds = { ModelProvider, ModelRoute }
  const create = (kind: keyof typeof kinds, name: string, spec: object) =>
    admin.create(kinds[kind], { apiVersion: 'mesh.dev/v1alpha1', kind, metadata: { name, namespace }, spec })
  return {
    admin,
    manager,
    namespace,
    reconcilers,
    kinds,
    create,
    when: (kind: keyof typeof kinds, name: string, wanted: string) =>
      untilCondition(admin, kinds[kind], { namespace, name }, wanted),
  }
}

/** Watches an object until a condition reads as wanted (`Ready=False SecretMissing`); resolves with its message. */
async function untilCondition(
  cluster: KubeClient,
  resource: Resource,
  { namespace, name }: { namespace: DnsLabel; name: string },
  wanted: string,
): Promise<string> {
  const said = (object: KubeObject): Condition | undefined =>
    (object.status as { conditions?: Condition[] } | undefined)?.conditions?.find(
      (one) =>
        `${one.type}=${one.status} ${one.reason}` === wanted && one.observedGeneration === object.metadata.generation,
    )
  const { items, resourceVersion } = await cluster.list(resource, { namespace, fieldSelector: `metadata.name=${name}` })
  const now = items.map(said).find((one) => one !== undefined)
  if (now !== undefined) return now.message
  const options = { namespace, resourceVersion, fieldSelector: `metadata.name=${name}`, timeoutSeconds: 60 }
  for await (const event of cluster.watch(resource, options)) {
    const found = 'object' in event ? said(event.object) : undefined
    if (found !== undefined) return found.message
  }
  throw new Error(`${name} never was ${wanted}`)
}

for (const make of ['real', 'embedded'] as const) {
  const skip = make === 'real' && findServer('kube-apiserver') === undefined ? 'no kube-apiserver' : false

  test(`UXM12, PODA16: READY of a provider reports problems of address and key (${make})`, { skip }, async (t) => {
    const { admin, namespace, create, when, kinds } = await setUp(t, make)
    await create('ModelProvider', 'mock', { type: 'mock' })
    assert.equal(await when('ModelProvider', 'mock', 'Ready=True Ready'), 'The gateway can call the provider.')
    const secretRef = { name: 'oa-key', key: 'api-key' }
    await create('ModelProvider', 'oa', { type: 'openai', baseUrl: 'https://api.example.com/v1', secretRef })
    assert.equal(
      await when('ModelProvider', 'oa', 'Ready=False SecretMissing'),
      `Secret ${namespace}/oa-key (key api-key) does not exist.`,
    )

    const touch = (annotation: string) =>
      admin.patch(
        kinds.ModelProvider,
        { namespace, name: parseName('name', 'oa') },
        { type: 'merge', body: { spec: { organization: annotation } } },
      )
    await admin.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'oa-key', namespace },
      data: { 'api-key': 'c2stY2FuYXJ5' },
    })
    await touch('2')
    await when('ModelProvider', 'oa', 'Ready=False SecretNotLabelled')
    const ofSecret = (metadata: object) =>
      admin.patch(secrets, { namespace, name: parseName('name', 'oa-key') }, { type: 'merge', body: { metadata } })
    await ofSecret({
      labels: { 'mesh.dev/provider-key': 'true' },
      annotations: { 'mesh.dev/origin': 'https://elsewhere.example' },
    })
    await touch('3')
    const mismatch = await when('ModelProvider', 'oa', 'ResolvedRefs=False OriginMismatch')
    assert.equal(mismatch.includes('elsewhere'), false)
    await ofSecret({ annotations: { 'mesh.dev/origin': 'https://api.example.com' } })
    await touch('4')
    await when('ModelProvider', 'oa', 'Ready=True Ready')

    await create('ModelProvider', 'inside', { type: 'openai', baseUrl: 'https://inside.example.com/v1' })
    assert.equal(
      await when('ModelProvider', 'inside', 'Accepted=False AddressRefused'),
      'inside.example.com resolves to a private address: not listed in outbound.allow.',
    )
    await create('ModelProvider', 'nowhere', { type: 'openai', baseUrl: 'https://nowhere.example.com/v1' })
    assert.equal(
      await when('ModelProvider', 'nowhere', 'Ready=False NameNotFound'),
      'nowhere.example.com does not resolve.',
    )
  })

  test(`UXM12, PODA16: READY of a route follows its providers (${make})`, { skip }, async (t) => {
    const { admin, namespace, create, when, kinds } = await setUp(t, make)
    await create('ModelRoute', 'broken', { providerRef: { name: 'late' }, model: 'm' })
    assert.equal(
      await when('ModelRoute', 'broken', 'ResolvedRefs=False ProviderMissing'),
      `Provider ${namespace}/late does not exist.`,
    )
    await create('ModelProvider', 'late', { type: 'mock' })
    await when('ModelRoute', 'broken', 'Ready=True Ready')
    const ref = { namespace, name: parseName('name', 'late') }
    await admin.patch(kinds.ModelProvider, ref, {
      type: 'merge',
      body: { spec: { type: 'openai', baseUrl: 'http://127.0.0.1:9' } },
    })
    assert.equal(
      await when('ModelRoute', 'broken', 'Ready=False ProviderNotReady'),
      `Provider ${namespace}/late: 127.0.0.1 is a loopback address: not listed in outbound.allow.`,
    )
    await create('ModelProvider', 'second', { type: 'mock' })
    await create('ModelRoute', 'partly', {
      providerRef: { name: 'late' },
      model: 'm',
      fallbacks: [{ providerRef: { name: 'second' }, model: 'm' }],
    })
    await when('ModelRoute', 'partly', 'Ready=True PartlyReady')
    await admin.delete(kinds.ModelProvider, ref)
    await when('ModelRoute', 'broken', 'Ready=False ProviderMissing')
  })

  test(
    `a route that reaches itself through providers that are the gateway is refused (${make})`,
    { skip },
    async (t) => {
      const { admin, namespace, create, when, kinds } = await setUp(t, make)
      const headers = [{ name: 'x-mesh-namespace', value: namespace }]
      await create('ModelProvider', 'self', { type: 'openai', baseUrl: 'http://localhost:4000/v1', headers })
      await create('ModelProvider', 'mock', { type: 'mock' })
      const to = (model: string) => ({ providerRef: { name: 'self' }, model })
      const mock = { providerRef: { name: 'mock' }, model: 'm' }
      await create('ModelRoute', 'direct', { ...mock, fallbacks: [to('direct')] })
      const direct = await when('ModelRoute', 'direct', 'Accepted=False RouteCircle')
      assert.match(direct, new RegExp(`: ${namespace}/direct -> ${namespace}/direct\\.$`))
      await create('ModelRoute', 'one', { targets: [to(`${namespace}/two`), mock] })
      await when('ModelRoute', 'one', 'Accepted=True Accepted')
      await create('ModelRoute', 'two', { ...mock, fallbacks: [to('one')] })
      const circle = await when('ModelRoute', 'two', 'Ready=False RouteCircle')
      assert.match(circle, new RegExp(`${namespace}/two -> ${namespace}/one -> ${namespace}/two\\.$`))
      await when('ModelRoute', 'one', 'Accepted=False RouteCircle')
      const ref = { namespace, name: parseName('name', 'two') }
      await admin.patch(kinds.ModelRoute, ref, { type: 'merge', body: { spec: { fallbacks: null } } })
      await when('ModelRoute', 'one', 'Accepted=True Accepted')
    },
  )

  test(
    `reports of gateways and conditions do not disturb each other, and a gateway that is gone leaves none (${make})`,
    { skip },
    async (t) => {
      const { admin, manager, namespace, create, when, kinds } = await setUp(t, make)
      await create('ModelProvider', 'mock', { type: 'mock' })
      const target = (model: string) => ({ providerRef: { name: 'mock' }, model })
      await create('ModelRoute', 'shared', { targets: [target('m'), target('n')] })
      await when('ModelRoute', 'shared', 'Ready=True Ready')
      const ref = { namespace, name: parseName('name', 'shared') }
      const report = (gateway: string, circuit: string, models = ['m', 'n']) => {
        const provider = `${namespace}/mock`
        const targets = models.map((model) => ({ gateway, provider, model, circuit }))
        const body = { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelRoute', metadata: ref, status: { targets } }
        const options = { subresource: 'status', fieldManager: `mesh-gateway-${gateway}` } as const
        return admin.patch(kinds.ModelRoute, ref, { type: 'apply', body, force: true }, options)
      }
      const read = async () => (await admin.get<ModelRouteObject>(kinds.ModelRoute, ref)).status
      const entries = async () =>
        (await read())?.targets?.map(({ gateway, model, circuit }) => `${gateway} ${model} ${circuit}`)
      await report('g1', 'closed')
      await report('g2', 'open')
      assert.deepEqual(await entries(), ['g1 m closed', 'g1 n closed', 'g2 m open', 'g2 n open'])
      // The manager writes conditions, without the entry of a former target.
      await admin.patch(kinds.ModelRoute, ref, {
        type: 'merge',
        body: { spec: { targets: [target('m'), target('o')] } },
      })
      while ((await entries())?.length !== 2) await pause(20)
      assert.deepEqual(await entries(), ['g1 m closed', 'g2 m open'])
      assert.equal((await read())?.conditions?.length, 3)
      // Entries stay their gateway's own: its next report replaces them.
      await report('g2', 'closed', ['o'])
      assert.deepEqual((await entries())?.toSorted(), ['g1 m closed', 'g2 o closed'])
      const gone = async () => new Set(['g1'])
      const removal = reportReconciler({ cluster: manager, findGone: gone })
      const object = await admin.get<ModelRouteObject>(kinds.ModelRoute, ref)
      assert.deepEqual(await removal.reconcile(ref, object), { requeueAfterMs: 15_000 })
      assert.deepEqual(await entries(), ['g2 o closed'])
      assert.equal((await read())?.conditions?.length, 3)
      assert.deepEqual(await removal.reconcile(ref, object), { requeueAfterMs: 1_000 }, 'the object has changed')
      assert.deepEqual(await removal.reconcile(ref, undefined), {})
    },
  )

  test(
    `PODA16: the manager reads metadata of Secrets only, and writes a status once (${make})`,
    { skip },
    async (t) => {
      const { admin, manager, namespace, create, when, kinds, reconcilers } = await setUp(t, make)
      await admin.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'key', namespace },
        data: { k: 'c2VjcmV0' },
      })
      const ref = { namespace, name: parseName('name', 'key') }
      const partial = await manager.get(secrets, ref, { metadataOnly: true })
      assert.deepEqual(
        [partial.kind, partial.metadata.name, partial['data']],
        ['PartialObjectMetadata', 'key', undefined],
      )
      await create('ModelProvider', 'mock', { type: 'mock' })
      await when('ModelProvider', 'mock', 'Ready=True Ready')
      const mock = { namespace, name: parseName('name', 'mock') }
      const before = await admin.get(kinds.ModelProvider, mock)
      await reconcilers[0]?.reconcile(mock, undefined)
      assert.equal(
        (await admin.get(kinds.ModelProvider, mock)).metadata.resourceVersion,
        before.metadata.resourceVersion,
      )
    },
  )
}

test('UXM12: a route with one usable provider is Ready and reports the others', () => {
  const broken = { provider: 'a/x', problem: 'ProviderMissing', message: 'Provider a/x does not exist.' } as const
  const fine = { provider: 'a/y', problem: undefined, message: '' }
  const ready = (...targets: Parameters<typeof routeVerdicts>[0]) =>
    routeVerdicts(targets, undefined).map(({ type, status, reason }) => `${type}=${status} ${reason}`)
  assert.deepEqual(ready(fine), ['Accepted=True Accepted', 'ResolvedRefs=True ResolvedRefs', 'Ready=True Ready'])
  assert.deepEqual(ready(broken, fine), [
    'Accepted=True Accepted',
    'ResolvedRefs=False ProviderMissing',
    'Ready=True PartlyReady',
  ])
  assert.deepEqual(ready(broken, broken)[2], 'Ready=False ProviderMissing')
})
