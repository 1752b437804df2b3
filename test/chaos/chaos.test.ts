import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import type { ChaosCase } from './case.ts'
import { chaosCase as publication } from './cases/01-publication.ts'
import { chaosCase as conservation } from './cases/02-conservation.ts'
import { chaosCase as backpressure } from './cases/03-backpressure.ts'
import { chaosCase as frozenCluster } from './cases/04-frozen-cluster.ts'
import { chaosCase as rollingRestart } from './cases/05-rolling-restart.ts'
import { chaosCase as overload } from './cases/06-overload.ts'
import { chaosCase as backup } from './cases/07-backup.ts'
import { chaosCase as watchCuts } from './cases/08-watch-cuts.ts'
import { chaosCase as slowReaders } from './cases/14-slow-readers.ts'
import { chaosCase as money } from './cases/16-money.ts'
import { chaosCase as inheritedMoney } from './cases/17-inherited-money.ts'
import { createScope } from './closing-scope.ts'
import { runCase } from './run-case.ts'
import { passed } from './table.ts'

// The short form of each case; `npm run chaos` runs the whole. Cases with test files of their own are not repeated here.
const whole = createScope()
after(() => whole.close())
process.setMaxListeners(100)
const seed = Number(process.env.MESH_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const servers = needs('etcd', 'kube-apiserver', 'nats-server', 'initdb')

// Cases with servers of their own run in parallel; those that share a stage run one after another.
describe('faults', { concurrency: true }, () => {
  describe('with servers of their own', { concurrency: 1 }, () => {
    test('O1, O2, O7: what is committed is read, published and handled once under kills', servers, () =>
      short('01-publication', publication),
    )

    test('X1: clients that never read are cut, and the others notice nothing', () =>
      short('14-slow-readers', slowReaders))
  })

  describe('of the whole platform', { concurrency: 1 }, () => {
    test('A2, A4, A5: each accepted change is one audit row, whichever process is killed', servers, () =>
      short('02-conservation', conservation),
    )

    test('A1, A6: rows and counted drops are all acts, while store and bus are away', servers, () =>
      short('03-backpressure', backpressure),
    )

    test('K4: a frozen cluster costs each request its deadline and leaves no after-effects', servers, () =>
      short('04-frozen-cluster', frozenCluster),
    )

    test('X6: a rolling restart loses no request', servers, () => short('05-rolling-restart', rollingRestart))

    test('X7: what is too much is refused with Retry-After', servers, () => short('06-overload', overload))

    test('B1, B2, B6: money is never overspent, whichever process is killed', servers, () => short('16-money', money))

    test('B1, B2, B5: the budget above a tree of agents is never overspent, whichever process is killed', servers, () =>
      short('17-inherited-money', inheritedMoney),
    )

    test('A10: watches that are cut, half-open or expired lose no final state and mark the gap', servers, () =>
      short('08-watch-cuts', watchCuts),
    )

    // Last, since it stops the servers of the others and restores an earlier state.
    test('A4, O7: after a restore every kept change is one row, and integrators see a new epoch', servers, () =>
      short('07-backup', backup),
    )
  })
})

async function short(name: string, chaosCase: ChaosCase): Promise<void> {
  const ran = await runCase(name, chaosCase, { seed, form: 'short', whole })
  assert.ok(passed(ran), ran.failure ?? JSON.stringify(ran.result))
  assert.equal(ran.skipped, undefined)
}
