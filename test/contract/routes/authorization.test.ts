import test, { describe } from 'node:test'
import { forms, startPlatform } from '#test/flows/platform.ts'
import { startS3 } from '#test/harness/s3.ts'
import { allowedWrites, bothAnswers, coverage, deniedWrites, noBearer, reads, revoke } from './access-questions.ts'
import { sendCanaries } from './secret-canaries.ts'
import { startCollector } from './collector.ts'
import { authzMutants } from './mutants.ts'
import { rbacWalk } from './rbac-walk.ts'
import { seed, whole } from './sample.ts'
import { otherMethods, oddSpellings } from './openapi-client.ts'
import { createSummary } from './summary.ts'
import type { Summary } from './summary.ts'
import { fill } from './world.ts'
import type { World } from './world.ts'

// `npm test` asks the embedded form, `npm run test:authz` both.
const asked = whole ? forms : forms.filter(({ form }) => form === 'embedded')

// A chain of tests on one platform takes longer than one test may, on a busy machine.
const chainMs = 2_400_000

// Beside each other: each waits for its own processes half of the time.
describe('every form', { concurrency: asked.length }, () => {
  for (const { form, options } of asked) {
    test(
      `K1, K3: the authorization matrix, computed by asking the API server: ${form}`,
      { ...options, timeout: chainMs },
      async (t) => {
        const collector = await startCollector(t)
        const exporter = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
        const s3 = await startS3(t)
        const objects = {
          OBJECT_STORE_ADDR: new URL(s3.url).host,
          OBJECT_STORE_ACCESS_KEY: s3.accessKey,
          OBJECT_STORE_SECRET_KEY: s3.secretKey,
        }
        const env = { LOG_LEVEL: 'debug', ...exporter, ...objects }
        const world = await fill(await startPlatform(t, form, { env }))
        const summary = createSummary(form)
        const settled = async (part: (world: World, summary: Summary) => Promise<void>): Promise<void> => {
          await part(world, summary)
          summary.settle()
        }
        await t.test('every mounted route has a case, and declares what the case says', () => coverage(world))
        await t.test('K1: a caller that may and one that may not ask every route', () => bothAnswers(world))
        await t.test(
          'D3, D5: no, a malformed or a misplaced bearer is the same 401, without a request to the API server',
          () => settled(noBearer),
        )
        await t.test('K1, D3: reads are answered as the API server does, and asked as the caller alone', () =>
          settled(reads),
        )
        await t.test('K1, A1: a denied mutation changes nothing and is one audit row', () => settled(deniedWrites))
        await t.test('K1: an allowed mutation keeps what it says and no more', () => settled(allowedWrites))
        await t.test('D1, M8: a right that is granted or revoked counts at once', () => settled(revoke))
        await t.test('M8, D1: after each of many random changes of RBAC the answer is that of the API server now', () =>
          settled((inner, counts) => rbacWalk(inner, counts, { steps: whole ? 1000 : 50, seed })),
        )
        await t.test('X5: 405 with Allow for every path and other method', () => settled(otherMethods))
        await t.test(
          'A8: 50 secrets through every route are in no refusal, log, audit row, event, metric or trace',
          () => settled((inner, counts) => sendCanaries(inner, counts, collector)),
        )
        await t.test('K1: a route whose check is gone or another turns a cell of the matrix red', () =>
          settled(authzMutants),
        )
        await t.test('X4: odd spellings of a path open nothing', () => settled(oddSpellings))
      },
    )
  }
})
