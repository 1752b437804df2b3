import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { writeImage } from '../../scripts/images/archive.ts'
import { file, libraries, skeleton, toTree } from '../../scripts/images/tree.ts'
import type { Node } from '../../scripts/images/tree.ts'

/** Image of a test agent. */
export interface AgentImage {
  readonly ref: string
  readonly archive: string
}

/** An image whose entrypoint is a program in Node.js, as root if the cluster allows it and without an init. */
export function makeAgentImage(t: Scope, name: string, program: URL, more: readonly [string, Node][] = []): AgentImage {
  const work = tempFolder('agent-image')
  t.after(work.remove)
  const { entries, loader } = libraries('usr/lib', process.execPath)
  const link: [string, Node] = [loader.slice(1), { kind: 'link', target: `/usr/lib/${basename(loader)}` }]
  const own = [file('bin/node', process.execPath), file('agent.mjs', fileURLToPath(program)), link]
  const ref = `test.local/${name}:1`
  const archive = join(work.path, `${name}.tar`)
  writeImage(archive, {
    ref,
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    layers: [toTree([...skeleton, ...entries, ...own, ...more])],
    run: { entrypoint: ['/bin/node', '/agent.mjs'], user: '0:0' },
  })
  return { ref, archive }
}
