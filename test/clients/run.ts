import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbedded } from '#test/flows/platform/embedded.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { browserCheck } from './browser.ts'
import { conformanceCheck } from './mcp-conformance.ts'
import { documentChecks, goCheck, needs, pythonCheck, typescriptChecks } from './checks.ts'
import { otelPythonCheck } from './otel-python.ts'
import { pageChecks } from './page.ts'
import { inShort, isFailed, runChecks } from './run-checks.ts'
import type { ChecksOutcome } from './run-checks.ts'
import { installNpmTools, installPythonTools } from './toolbox.ts'
import type { Check, Workspace } from './workspace.ts'

// npm run test:clients [-- NAME] [--rerun-failed]: generates clients from docs/reference/openapi.json with common generators, compiles them
// and runs them against a BFF of the embedded default, and docs/how-to/use-a-client.md. Lints both documents, runs the conformance suite of MCP, and exports spans of the
// Python SDK of OpenTelemetry. The tools are installed into mesh/clients in the user's cache, with the versions of this folder's lock files.
// A check whose program is missing is NOT RUN, which is not a success. With --rerun-failed a failed check runs once more, and is reported as
// FLAKY if it passes then.
const docs = fileURLToPath(new URL('../../docs/reference/', import.meta.url))
const started = performance.now()
const folder = tempFolder('clients')
const ends: (() => unknown)[] = []
const rerunFailed = '--rerun-failed'
let outcome: ChecksOutcome

// First and sequentially: an installation shares only the two cores with the checks.
const npm = await installNpmTools()
const python = needs('python3') === undefined ? await installPythonTools() : undefined

// The tools of the conformance suite are on this machine.
const scope = { after: (end: () => unknown) => void ends.unshift(end) }
const platform = startEmbedded(scope, { env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
const server = platform.then(({ url, tokens }) => ({ url, token: tokens.developer }))
server.catch(() => undefined)
const workspace: Workspace = {
  folder: folder.path,
  openapi: `${docs}openapi.json`,
  asyncapi: `${docs}asyncapi.json`,
  server,
}
const flags = process.argv.slice(2)
const wanted = flags.filter((flag) => flag !== rerunFailed)

function checksIn(own: Workspace): readonly Check[] {
  return [
    goCheck(own),
    pythonCheck(own, python),
    otelPythonCheck(own, python),
    ...typescriptChecks(own, npm),
    ...documentChecks(own, npm),
    browserCheck(own),
    ...pageChecks(scope, platform),
    conformanceCheck(own, npm),
  ].filter(({ name }) => wanted.length === 0 || wanted.includes(name))
}

// Generators refuse folders with the files of an earlier run.
function checksAgain(): readonly Check[] {
  const second = join(folder.path, 'second')
  mkdirSync(second)
  return checksIn({ ...workspace, folder: second })
}

try {
  const checks = checksIn(workspace)
  for (const { name, missing } of checks) if (missing !== undefined) console.log(`NOT RUN ${name}: ${missing}`)
  outcome = await runChecks(
    checks.filter(({ missing }) => missing === undefined),
    { again: flags.includes(rerunFailed) ? checksAgain : undefined, print: (line) => console.log(line) },
  )
} finally {
  await server.catch(() => undefined)
  for (const end of ends) await end()
  folder.remove()
}
const { results, flaky } = outcome
const failed = results.filter(isFailed)
const passed = results.reduce((sum, one) => sum + one.passed, 0)
for (const one of failed) console.log(`FAILED ${inShort(one)}`)
for (const one of flaky) console.log(`FLAKY ${inShort(one)}`)
console.log(`${Math.round((performance.now() - started) / 1000)} s`)
console.log(`${passed} passed, ${failed.length} failed`)
process.exit(failed.length === 0 && passed > 0 ? 0 : 1)
