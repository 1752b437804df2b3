import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { findServer, needs } from '#test/harness/find-server.ts'
import { attributesOf, parseXml } from '#test/harness/parse-xml.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const example = (name: string): string => readFileSync(join(root, 'examples/ci', name), 'utf8')

interface GithubStep {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
}
interface GitlabJob {
  readonly stage: string
  readonly script: readonly string[]
  readonly needs?: readonly string[]
  readonly artifacts?: { readonly reports: { readonly junit: string } }
}

/** A checkout of a repository with an agent, on a runner with the programs that its image or its steps bring. */
function checkout(t: Scope, kubeconfig: string) {
  const { path, remove } = tempFolder('ci')
  t.after(remove)
  const bin = join(path, '.bin')
  mkdirSync(bin)
  const add = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  add('meshctl', `exec '${process.execPath}' '${join(root, 'scripts/program/start-meshctl.mjs')}' "$@"`)
  // What is installed is this checkout.
  add('npm', '[ "$*" = "install --global @mesh.dev/mesh" ]')
  add('apk', '[ "$*" = "add --no-cache nodejs npm" ]')
  mkdirSync(join(path, 'agents'))
  cpSync(join(root, 'examples/ci/support.yaml'), join(path, 'agents/support.yaml'))
  const PATH = [bin, dirname(findServer('kubectl') ?? ''), process.env['PATH']].join(':')
  const run = (script: string, env: Readonly<Record<string, string>>) =>
    new Promise<{ code: number; text: string }>((resolve) => {
      const options = { cwd: path, env: { PATH, HOME: path, ...env } }
      execFile('bash', ['-eo', 'pipefail', '-c', script], options, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, text: out + err })
      })
    })
  const values: Readonly<Record<string, string>> = { 'secrets.MESH_KUBECONFIG': kubeconfig }
  const fill = (text: string): string =>
    text.replaceAll(/\$\{\{ ([^}]+) \}\}/g, (_, name: string) => {
      assert.ok(name in values, `the job uses ${name}`)
      return values[name] ?? ''
    })
  return { path, run, fill, report: () => readFileSync(join(path, 'eval.xml'), 'utf8') }
}

test('the page, and the commands of both jobs of CI', { ...needs('kubectl'), timeout: 400_000 }, async (t) => {
  const platform = await sharedEmbedded()
  const shell = createPageShell(t, 'gate-in-ci.md', platform)
  const page = readFileSync(join(root, 'docs/how-to/gate-in-ci.md'), 'utf8')
  for (const name of ['support.yaml', 'github-actions.yaml', 'gitlab-ci.yml'])
    assert.ok(page.includes(`\`\`\`yaml\n${example(name)}\`\`\`\n`), `the page has another ${name}`)
  const cases = (await shell.section('Make cases')).join('\n')
  assert.match(cases, /^2\t0\t0\n1\t2\tsha256:/m)
  const [report = ''] = await shell.section('Evaluate on your machine')
  assert.equal((JSON.parse(report) as { decision: string }).decision, 'pass')
  const kubeconfig = readFileSync(join(platform.dataDir ?? '', 'kubeconfigs', 'operator'), 'utf8')

  await t.test('GitHub Actions', async (part) => {
    const { run, fill, report: xml } = checkout(part, kubeconfig)
    const { jobs } = parse(example('github-actions.yaml')) as { jobs: { agent: { steps: readonly GithubStep[] } } }
    const steps = jobs.agent.steps.filter((step) => step.run !== undefined)
    assert.deepEqual(
      steps.map(({ run: line = '' }) => line.split(' ')[1]),
      ['install', '077', 'eval', 'expand'],
    )
    for (const { run: line = '', env = {} } of steps) {
      const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]))
      const { code, text } = await run(line, filled)
      assert.equal(code, 0, `${line}: ${text}`)
    }
    const shown = jobs.agent.steps.find(({ uses = '' }) => uses.includes('junit'))
    assert.equal(shown?.with?.['report_paths'], 'eval.xml')
    assert.deepEqual(attributesOf(parseXml(xml()), 'testcase', 'name'), ['greeting', 'refund'])
  })

  await t.test('GitLab, and a score that is too low stops its job', async (part) => {
    const { path, run, report: xml } = checkout(part, kubeconfig)
    const { variables, ...jobs } = parse(example('gitlab-ci.yml')) as {
      variables: Readonly<Record<string, string>>
    } & {
      readonly evaluate: GitlabJob
      readonly deploy: GitlabJob
    }
    assert.deepEqual(variables, { KUBECONFIG: '$MESH_KUBECONFIG' })
    const file = join(path, 'kubeconfig')
    writeFileSync(file, kubeconfig, { mode: 0o600 })
    const runJob = ({ script }: GitlabJob) => run(script.join('\n'), { KUBECONFIG: file })
    const passed = await runJob(jobs.evaluate)
    assert.equal(passed.code, 0, passed.text)
    const deployed = await runJob(jobs.deploy)
    assert.equal(deployed.code, 0, deployed.text)
    assert.match(deployed.text, /agentdeployment\.mesh\.dev\/support /)
    assert.deepEqual([jobs.deploy.needs, jobs.evaluate.artifacts?.reports.junit], [['evaluate'], 'eval.xml'])
    await shell.run(`npx meshctl api datasets/support/cases/import?namespace=default --method POST --body - <<'END'
{"cases": [{"id": "wrong", "input": "Hi", "expected": "another"}, {"id": "wrong-2", "input": "Hi", "expected": "another"}]}
END
npx meshctl datasets pin support`)
    const failed = await runJob(jobs.evaluate)
    assert.equal(failed.code, 1, failed.text)
    assert.deepEqual(attributesOf(parseXml(xml()), 'testsuite', 'failures'), ['2'])
  })
})
