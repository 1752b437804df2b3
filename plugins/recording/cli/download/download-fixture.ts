import { Fail } from '#core/errors/domain-error.ts'
import { ObjectStoreError } from '#core/objects/object-store.ts'
import type { ObjectStore, ObjectStoreProblem } from '#core/objects/object-store.ts'
import { DEFAULT_BUCKET, DEFAULT_REGION, S3SettingsProblem, parseS3Settings } from '#core/objects/s3-address.ts'
import type { S3Address, S3Settings } from '#core/objects/s3-address.ts'
import { openS3Store } from '#core/objects/s3-store.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { CliInput } from '#cli/contract/command.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { recordingErrors } from '#plugins/recording/contract/errors.ts'
import { listParts, streamFixture } from '#plugins/recording/contract/format/stream-fixture.ts'
import { writePrivateFile } from '#cli/contract/write-private-file.ts'

interface DownloadOptions {
  readonly run: string | undefined
  readonly output: string | undefined
}

const FAILED = 2

/** `meshctl download-fixture`. */
export async function downloadFixtureOf({ values, env, out, err }: CliInput<DownloadOptions>): Promise<number> {
  const { run, output = `${run}.fixture.json` } = values
  if (run === undefined || !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(run))
    throw new CliProblem('RUN_ID must be the id of a run, a lowercase UUID', 'meshctl runs list has the ids of runs.')
  const store = openS3Store(addressOf(env))
  try {
    const { complete } = await download(store, run, output)
    if (!complete) err('the recording is not complete: see "problems" in the file\n')
    out(`${output}\n`)
    return 0
  } catch (error) {
    const [problem, hint] = explain(error, output)
    throw new CliProblem(problem, hint, FAILED)
  } finally {
    await store.close()
  }
}

async function download(store: ObjectStore, run: string, output: string): Promise<{ readonly complete: boolean }> {
  const keys = await listParts(store, run)
  if (keys.length === 0) throw new Fail(recordingErrors.no_fixture)
  let last = ''
  const pieces = async function* (): AsyncGenerator<string> {
    for await (const piece of streamFixture(store, run, keys)) {
      last = piece
      yield piece
    }
  }
  await writePrivateFile(output, pieces())
  // The last piece has the fields after the calls.
  return { complete: last.includes('"complete":true') }
}

/** Throws `CliProblem` for a setting that is missing or not valid. */
function addressOf(env: CliInput['env']): S3Address {
  const { OBJECT_STORE_ADDR: addr = '', OBJECT_STORE_TLS: tls = 'false' } = env
  if (addr === '') throw unusable('OBJECT_STORE_ADDR is missing: host:port of the object store')
  if (tls !== 'true' && tls !== 'false') throw unusable('OBJECT_STORE_TLS must be true or false')
  const { OBJECT_STORE_BUCKET: bucket = DEFAULT_BUCKET, OBJECT_STORE_REGION: region = DEFAULT_REGION } = env
  const keys = { accessKey: env['OBJECT_STORE_ACCESS_KEY'], secretKey: env['OBJECT_STORE_SECRET_KEY'] }
  try {
    return parseS3Settings({ addr, bucket, region, tls: tls === 'true', ...keys })
  } catch (error) {
    if (!(error instanceof S3SettingsProblem)) throw error
    throw unusable(`${variables[error.setting]} ${error.message}`)
  }
}

function unusable(problem: string): CliProblem {
  return new CliProblem(problem, 'Set the OBJECT_STORE_ variables as the state role has them.')
}

const variables: Readonly<Record<keyof S3Settings, string>> = {
  addr: 'OBJECT_STORE_ADDR',
  accessKey: 'OBJECT_STORE_ACCESS_KEY',
  secretKey: 'OBJECT_STORE_SECRET_KEY',
  bucket: 'OBJECT_STORE_BUCKET',
  region: 'OBJECT_STORE_REGION',
  tls: 'OBJECT_STORE_TLS',
}

const hints: Readonly<Record<ObjectStoreProblem, string>> = {
  refused: 'Check the keys, OBJECT_STORE_BUCKET, and what the store lets these keys read.',
  unavailable: 'Check OBJECT_STORE_ADDR and OBJECT_STORE_TLS, or try again later.',
  foreign: 'Check OBJECT_STORE_ADDR: it is host:port of the object store of the state role.',
  too_large: 'Check that OBJECT_STORE_BUCKET is the bucket of the state role.',
}

function explain(error: unknown, output: string): readonly [problem: string, hint: string] {
  const cause = error instanceof Fail ? error.cause : error
  if (cause instanceof ObjectStoreError) {
    const { problem, message } = cause
    const isForeign = problem === 'foreign'
    return [isForeign ? `OBJECT_STORE_ADDR did not respond with a recording: ${message}` : message, hints[problem]]
  }
  if (error instanceof Fail)
    return ['the run has no recording', 'Runs of an agent with recording: {} have one, from shortly after their end.']
  const { code } = error as NodeJS.ErrnoException
  return [`${toSafeText(output)} cannot be written: ${code ?? 'unknown error'}`, 'Name another file with --output.']
}
