import { fileURLToPath } from 'node:url'
import { startEmbedded } from '#test/flows/platform/embedded.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { browserCheck } from './browser.ts'
import { documentChecks, goCheck, needs, pythonCheck, typescriptChecks } from './checks.ts'
import { installNpmTools, installPythonTools } from './toolbox.ts'
import type { Check, Workspace } from './workspace.ts'

// npm run test:clients [-- NAME]: generates clients from docs/reference/openapi.json with common generators, compiles them and runs them
// against a BFF of the embedded default. Also lints both documents. The tools are installed into mesh/clients in the user's cache, with the
// versions of this folder's lock files. A check whose program is missing is NOT RUN, which is not a success.
const docs = fileURLToPath(new URL('../../docs/reference/', import.meta.url))
const started = performance.now()
const folder = tempFolder('clients')
const ends: (() => unknown)[] = []
const counts = { passed: 0, failed: 0 }

// First and sequentially: an installation shares only the two cores with the checks.
const npm = await installNpmTools()
const python = needs('python3') === undefined ? await installPythonTools() : undefined

const platform = startEmbedded({ after: (end) => void ends.unshift(end) })
const server = platform.then(({ url, tokens }) => ({ url, token: tokens.developer }))
server.catch(() => undefined)
const workspace: Workspace = {
  folder: folder.path,
  openapi: `${docs}openapi.json`,
  asyncapi: `${docs}asyncapi.json`,
  server,
}
const wanted = process.argv.slice(2)
const checks = [
  goCheck(workspace),
  pythonCheck(workspace, python),
  ...typescriptChecks(workspace, npm),
  ...documentChecks(workspace, npm),
  browserCheck(workspace),
].filter(({ name }) => wanted.length === 0 || wanted.includes(name))
try {
  // Two in parallel, since a compiler mostly uses one core.
  const work = async (): Promise<void> => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) await runCheck(check)
  }
  await Promise.all([work(), work()])
} finally {
  await server.catch(() => undefined)
  for (const end of ends) await end()
  folder.remove()
}
console.log(`${Math.round((performance.now() - started) / 1000)} s`)
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1)

// Steps after a failed one need its result and are skipped.
async function runCheck({ name, missing, steps }: Check): Promise<void> {
  if (missing !== undefined) return console.log(`NOT RUN ${name}: ${missing}`)
  for (const [step, run] of Object.entries(steps)) {
    const from = performance.now()
    try {
      await run()
    } catch (error) {
      counts.failed++
      console.log(`FAIL ${name}: ${step}\n${error instanceof Error ? error.message : String(error)}`)
      return
    }
    counts.passed++
    console.log(`ok   ${name}: ${step} (${((performance.now() - from) / 1000).toFixed(1)} s)`)
  }
}
