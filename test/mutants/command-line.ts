import type { Mutant } from './mutant.ts'

const clientTest = ['cli/api/client.test.ts']
const contextTest = ['cli/context/context.test.ts']

/** Defects in the shells of `meshctl` and of the console. */
export const mutants: readonly Mutant[] = [
  {
    name: 'meshctl sends a token over http to another machine',
    file: 'cli/context/api-access.ts',
    find: "if (url.protocol === 'http:' && !isLoopbackAddress",
    replace: "if (url.protocol === 'ws:' && !isLoopbackAddress",
    tests: contextTest,
    only: 'a bad kubeconfig, address or token',
  },
  {
    name: 'meshctl writes to a link of the kubeconfig in place of its file',
    file: 'cli/context/change-context.ts',
    find: 'writePrivateFile(realpathSync(path), ',
    replace: 'writePrivateFile(realpathSync(path) && path, ',
    tests: contextTest,
    only: 'context set keeps the address',
  },
  {
    name: 'meshctl eval takes the score of an evaluation that is not certain',
    file: 'plugins/evals/cli/report/report.ts',
    find: "if ((phase !== 'Passed' && phase !== 'Failed') || score === null) return 'error'",
    replace: "if (score === null) return 'error'",
    tests: ['plugins/evals/cli/eval-parts.test.ts'],
    only: 'pass and fail follow the score',
  },
  {
    name: 'a clean-up of meshctl eval ends at a failure',
    file: 'plugins/evals/cli/gate/cleanup.ts',
    find: 'for (const { title, remove } of made.toReversed()) {',
    replace: 'for (const { title, remove } of made.toReversed().slice(0, 1)) {',
    tests: ['plugins/evals/cli/eval-parts.test.ts'],
    only: 'a clean-up goes on after a failure',
  },
  {
    name: 'meshctl prints a text of a response that moves the cursor',
    file: 'cli/output/write-table.ts',
    find: "'' : toSafeText(String(value))",
    replace: "'' : String(value)",
    tests: ['cli/output/output.test.ts'],
    only: 'a terminal has a header',
  },
  {
    name: 'meshctl prints the detail of a problem as it came',
    file: 'cli/api/failures.ts',
    find: 'toSafeText(`${detail.slice',
    replace: 'String(`${detail.slice',
    tests: clientTest,
    only: 'a problem document is one line',
  },
  {
    name: 'an id in a path of meshctl leads to another path',
    file: 'cli/api/create-client.ts',
    find: '  return encodeURIComponent(segment)\n',
    replace: '  return segment\n',
    tests: clientTest,
    only: 'an id is one segment',
  },
  {
    name: 'a command of meshctl takes a word of mesh',
    file: 'scripts/generators/cli-commands.ts',
    find: '  if (usesApi && isCore) refuse',
    replace: '  if (usesApi && isCore && shellWords.length === 0) refuse',
    tests: ['scripts/generators/cli-commands.test.ts'],
    only: 'a command with the name of another',
  },
  {
    name: 'text of a response may become markup in the console',
    file: 'core/http/console/routes.ts',
    find: "require-trusted-types-for 'script'; trusted-types 'none'",
    replace: "script-src-attr 'unsafe-inline'",
    tests: ['core/http/console/routes.test.ts'],
    only: 'each address of the console',
  },
  {
    name: 'a page of the console takes the path of the API',
    file: 'core/host/console/console-pages.ts',
    find: 'if (reserved.includes(first)) refuse',
    replace: 'if (reserved.length === 0) refuse',
    tests: ['core/host/console/console-pages.test.ts'],
    only: 'a console page names its plugin',
  },
  {
    name: 'an entry of the console that its plugin does not declare is listed',
    file: 'scripts/generators/console-pages.ts',
    find: '  if (page === undefined) return refuse(',
    replace: '  if (page === undefined) return\n  if (pages.length === 0) refuse(',
    tests: ['scripts/generators/console-pages.test.ts'],
    only: 'an entry that its plugin does not declare',
  },
]
