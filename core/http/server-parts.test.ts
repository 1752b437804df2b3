import assert from 'node:assert/strict'
import Fastify from 'fastify'
import test from 'node:test'
import { openApiRoutes } from './openapi/routes.ts'
import { mountRoutes } from './mount-routes.ts'
import { serverParts } from './server.ts'
import { buildServer } from './testing/build-server.ts'

const catalog = { catalog: [], version: '1.2.3', summaries: new Map<string, string>() }
const limits = {
  perCallerPerMinute: 100,
  perAddressPerMinute: 100,
  rejectedPerAddressPerMinute: 100,
  underWay: 100,
}

// Needs of each part, in the order in which they are registered.
const needs = {
  'mesh-services': [],
  'mesh-bodies': [],
  'mesh-problem': ['mesh-services'],
  'mesh-telemetry': ['mesh-services'],
  'mesh-limits': ['mesh-problem', 'mesh-telemetry'],
  'mesh-bearer': ['mesh-services', 'mesh-limits'],
  'mesh-gate': ['mesh-bodies', 'mesh-problem', 'mesh-telemetry', 'mesh-limits', 'mesh-bearer'],
} as const
const names = Object.keys(needs)

test('R2-HO-2: a server without one of its parts does not start, and names both', async (t) => {
  const { services } = await buildServer(t, [])
  for (const [missing, name] of names.entries()) {
    const dependents = Object.entries(needs).filter(([, of]) => of.some((need) => need === name))
    const [dependent] = dependents.map(([of]) => of)
    if (dependent === undefined) continue
    await assert.rejects(build(serverParts({ services, limits }).toSpliced(missing, 1)), {
      code: 'FST_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED',
      message: `The dependency '${name}' of plugin '${dependent}' is not registered`,
    })
  }
})

test('R2-HO-2: a server with two parts in the wrong order does not start', async (t) => {
  const { services } = await buildServer(t, [])
  for (const [first, name] of names.entries())
    for (const second of names.keys()) {
      const later = names[second]
      if (second <= first || later === undefined) continue
      const parts = [...serverParts({ services, limits })]
      // `later` is moved before `name`.
      parts.splice(first, 0, ...parts.splice(second, 1))
      const missing = needsOf(later).some((need) => names.indexOf(need) >= first)
      const started = build(parts).then(
        () => 'started',
        (error: unknown) => String(error),
      )
      assert.match(await started, missing ? new RegExp(`of plugin '${later}'`) : /^started$/, `${later} before ${name}`)
    }
})

test('R2-HO-2: routes and pages are mounted only behind the gate', async (t) => {
  const { app, services } = await buildServer(t, [])
  const ungated = async () => {
    const bare = Fastify()
    for (const part of serverParts({ services, limits }).slice(0, -1)) await bare.register(part)
    return { bare }
  }
  const message = (name: string) => `The dependency 'mesh-gate' of plugin '${name}' is not registered`
  const [forRoutes, forPages] = [await ungated(), await ungated()]
  const owner = { plugin: 'x', wiring: 'ready', prefix: '/api' } as const
  await assert.rejects(mountRoutes(forRoutes.bare, [], owner), { message: message('mesh-routes') })
  await assert.rejects(async () => forPages.bare.register(openApiRoutes(catalog)), { message: message('mesh-openapi') })
  assert.equal((await app.inject('/api/x')).statusCode, 401)
})

test('R2-HO-2: the parts add six hooks to a request, as before they were parts', async (t) => {
  const { services } = await buildServer(t, [])
  const counts = new Map<string, number>()
  const app = Fastify()
  const addHook = app.addHook.bind(app) as (...args: readonly unknown[]) => unknown
  Object.assign(app, {
    addHook: (name: string, ...rest: readonly unknown[]) => {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return addHook(name, ...rest)
    },
  })
  for (const part of serverParts({ services, limits })) await app.register(part)
  const { onRoute, ...ofRequests } = Object.fromEntries(counts)
  assert.deepEqual(ofRequests, { onRequest: 3, preParsing: 2, onResponse: 1 })
  assert.equal(onRoute, 3)
})

function needsOf(name: string): readonly string[] {
  return Object.entries(needs).find(([known]) => known === name)?.[1] ?? []
}

async function build(parts: ReturnType<typeof serverParts>) {
  const app = Fastify()
  for (const part of parts) await app.register(part)
  await app.ready()
  return app
}
