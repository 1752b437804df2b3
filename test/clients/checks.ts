import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '#test/harness/find-on-path.ts'
import { exec } from './exec.ts'
import { here } from './toolbox.ts'
import { prepareFolder, runClient } from './workspace.ts'
import type { Check, Workspace } from './workspace.ts'

/** Reason that a check cannot run without a program. */
export const needs = (program: string): string | undefined =>
  findOnPath(program) === undefined ? `${program} is not on the PATH` : undefined

/** Lints both documents. */
export function documentChecks(workspace: Workspace, tools: string): readonly Check[] {
  const { folder, openapi, asyncapi } = workspace
  const redocly = join(tools, 'node_modules/@redocly/cli/bin/cli.js')
  return [
    {
      name: 'openapi.json',
      steps: {
        'redocly lint': async () => {
          const args = ['lint', openapi, '--extends=recommended', '--format=json', '--max-problems=1000']
          const output = await exec([process.execPath, redocly, ...args], { cwd: folder })
          const { totals } = JSON.parse(output) as { totals: { errors: number; warnings: number } }
          if (totals.errors + totals.warnings > 0) throw new Error(output)
        },
      },
    },
    {
      name: 'asyncapi.json',
      steps: {
        parser: async () => {
          const cwd = prepareFolder(workspace, 'asyncapi', { programs: ['asyncapi.mts'], packages: tools })
          await exec([process.execPath, 'asyncapi.mts', asyncapi], { cwd })
        },
      },
    },
  ]
}

/** TypeScript clients: generated, compiled with `strict`, run. */
export function typescriptChecks(workspace: Workspace, tools: string): readonly Check[] {
  const check = (name: string, program: string, generate: readonly string[]): Check => {
    const programs = [program, 'tsconfig.json', ...(name === 'hey-api' ? ['openapi-ts.config.cjs'] : [])]
    const cwd = prepareFolder(workspace, name, { programs, packages: tools })
    const bin = (path: string, ...args: readonly string[]) =>
      exec([process.execPath, join(tools, 'node_modules', path), ...args], {
        cwd,
        env: { MESH_OPENAPI: workspace.openapi },
      })
    const [generator = '', ...args] = generate
    return {
      name,
      steps: {
        generate: () => bin(generator, ...args),
        compile: () => bin('typescript/bin/tsc', '--project', '.'),
        run: () => runClient(workspace, name, [process.execPath, program], cwd),
      },
    }
  }
  const { openapi } = workspace
  return [
    // Its default makes every field with a default mandatory in bodies.
    check('openapi-fetch', 'openapi-fetch.mts', [
      'openapi-typescript/bin/cli.js',
      openapi,
      '--default-non-nullable=false',
      '--output=schema.ts',
    ]),
    check('hey-api', 'hey-api.mts', ['@hey-api/openapi-ts/bin/run.js', '--file', 'openapi-ts.config.cjs']),
  ]
}

/** The Go client, with the versions of programs/go/go.mod. */
export function goCheck(workspace: Workspace): Check {
  const missing = needs('go')
  if (missing !== undefined) return { name: 'oapi-codegen', missing, steps: {} }
  const cwd = prepareFolder(workspace, 'oapi-codegen', { programs: ['go/go.mod', 'go/go.sum', 'go/main.go'] })
  mkdirSync(join(cwd, 'mesh'))
  // Without paths in the output, Go's cache works for every temporary folder.
  const go = (...args: readonly string[]) =>
    exec(['go', ...args], { cwd, env: { GOFLAGS: '-trimpath -buildvcs=false -mod=readonly' } })
  const generator = ['oapi-codegen', '-generate', 'types,client', '-package', 'mesh', '-o', 'mesh/mesh.gen.go']
  return {
    name: 'oapi-codegen',
    steps: {
      generate: () => go('tool', ...generator, workspace.openapi),
      compile: async () => {
        await go('vet', './...')
        await go('build', '-o', 'client', '.')
      },
      run: () => runClient(workspace, 'oapi-codegen', ['./client'], cwd),
    },
  }
}

/** The Python client, with the versions of requirements.txt. */
export function pythonCheck(workspace: Workspace, tools: string | undefined): Check {
  const name = 'openapi-python-client'
  if (tools === undefined) return { name, missing: needs('python3'), steps: {} }
  const bin = join(tools, 'venv', 'bin')
  const cwd = prepareFolder(workspace, name, { programs: ['main.py'] })
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}` }
  const library = 'mesh_control_plane_client'
  const config = join(here, 'programs', 'openapi-python-client.yaml')
  const generate = [
    'generate',
    '--path',
    workspace.openapi,
    '--meta',
    'none',
    '--output-path',
    library,
    '--config',
    config,
  ]
  return {
    name,
    steps: {
      generate: () => exec(['openapi-python-client', ...generate, '--fail-on-warning'], { cwd, env }),
      compile: async () => {
        await exec(['python3', '-m', 'compileall', '-q', library, 'main.py'], { cwd, env })
        await exec(['mypy', '--strict', '--follow-imports=silent', 'main.py'], { cwd, env })
      },
      run: () => runClient(workspace, name, [join(bin, 'python3'), 'main.py'], cwd),
    },
  }
}
