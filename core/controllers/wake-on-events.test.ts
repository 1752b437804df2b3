import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { defineEvent } from '#core/event-store/event.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Logger } from '#core/log/logger.ts'
import { followEvents } from '#core/messaging/follow-events.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { runReconcilers } from './controller.ts'
import type { Reconciler } from './watch/declarations.ts'

const data = Type.Object({ name: Type.String() })
const scored = defineEvent({ plugin: 'evals', fact: 'scored', summary: 'An evaluation was scored.', data })
const ignored = defineEvent({ plugin: 'evals', fact: 'ignored', summary: 'Another fact.', data })
const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }

test(
  'an event wakes the reconciler that names its type, and no other event does',
  needs('etcd', 'kube-apiserver'),
  async (t) => {
    const kube = await sharedKube(t)
    const pool = createPool(kube.url, { ca: kube.ca })
    t.after(() => pool.close())
    const cluster = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
    const database = await openMemoryStore()
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    const store = createStore(database, { projections: [] })
    const append = (type: typeof scored, name: string) =>
      store.transact((tx) =>
        tx.append(`evals/${Math.random()}`, 'any', [
          { type, subject: { namespace: 'default', kind: 'EvalSuite', name }, data: { name } },
        ]),
      )
    const namespace = parseLabel('namespace', `wake-${Date.now()}`)
    await cluster.create(
      { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    )
    await cluster.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'suite', namespace } })
    await append(scored, 'before')
    const [calls, mapped, warnings]: [unknown[], string[], unknown[]] = [[], [], []]
    let failing = 0
    const reconciler: Reconciler = {
      name: 'suites',
      resource: configMaps,
      watches: [
        {
          events: [scored],
          toRefs: async (event, client) => {
            assert.equal(client, cluster)
            const { name } = event.data as { readonly name: string }
            mapped.push(name)
            if (name === 'fails' || (name === 'fails once' && failing++ === 0)) throw new Error('no index yet')
            return name === 'suite' || name === 'fails once' ? [{ namespace, name: parseName('name', 'suite') }] : []
          },
        },
      ],
      reconcile: async (ref, object) => {
        if (ref.namespace === namespace && ref.name === 'suite') calls.push(object?.metadata.name)
        return {}
      },
    }
    const log: Logger = { debug() {}, info() {}, error() {}, warn: (fields) => warnings.push(fields), child: () => log }
    const controller = new AbortController()
    const running = runReconcilers({
      cluster,
      reconcilers: [reconciler],
      log,
      signal: controller.signal,
      events: (follower, signal) => followEvents(database, follower, signal),
    })
    await running.synced
    const until = async (what: string, holds: () => boolean) => {
      for (let tries = 0; !holds(); tries++) {
        if (tries > 1_000) assert.fail(what)
        await sleep(10)
      }
    }
    assert.deepEqual(calls, ['suite'], 'the first list')
    await sleep(200)
    await append(ignored, 'suite')
    await append(scored, 'suite')
    await until('woken', () => calls.length === 2)
    assert.deepEqual([calls[1], mapped], ['suite', ['suite']], 'neither an earlier event nor another type')
    await append(scored, 'fails once')
    await until('mapped again after an error', () => calls.length === 3)
    await append(scored, 'fails')
    await append(scored, 'suite')
    await until(
      'an event that cannot be mapped is left out',
      () => mapped.filter((name) => name === 'fails').length === 5,
    )
    await append(scored, 'suite')
    await until('later events wake', () => calls.length >= 4)
    assert.ok(warnings.length >= 6)
    controller.abort()
    await running.done
  },
)
