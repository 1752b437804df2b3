import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { writeImage } from '../../../scripts/images/archive.ts'
import { file, libraries, skeleton, toTree } from '../../../scripts/images/tree.ts'
import type { Node } from '../../../scripts/images/tree.ts'

/** Image of a test agent. */
export interface EvilImage {
  readonly ref: string
  readonly archive: string
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A C compiler builds the preloaded library. Without one, the images contain the agent only. */
export const compiler = ['/usr/bin/cc', '/usr/bin/gcc'].find(existsSync)

/** Images whose agent runs as root if allowed: one with a shell and tools, one with a library preloaded into every process. */
export function makeEvilImages(t: Scope): { readonly shell: EvilImage; readonly preload: EvilImage } {
  const work = tempFolder('evil-images')
  t.after(work.remove)
  const make = (name: string, more: readonly [string, Node][]): EvilImage => {
    const { entries, loader } = libraries('usr/lib', process.execPath)
    const base = [
      ...skeleton,
      ...entries,
      file('bin/node', process.execPath),
      file('agent.mjs', here('evil-agent.mjs')),
    ]
    const link: [string, Node] = [loader.slice(1), { kind: 'link', target: `/usr/lib/${basename(loader)}` }]
    const ref = `test.local/evil-${name}:1`
    const archive = join(work.path, `${name}.tar`)
    writeImage(archive, {
      ref,
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      layers: [toTree([...base, link, ...more])],
      run: { entrypoint: ['/bin/node', '/agent.mjs'], user: '0:0' },
    })
    return { ref, archive }
  }
  if (compiler === undefined) return { shell: make('shell', []), preload: make('preload', []) }
  const [program, library] = [join(work.path, 'evil'), join(work.path, 'evil.so')]
  execFileSync(compiler, ['-o', program, here('evil.c')])
  execFileSync(compiler, ['-shared', '-fPIC', '-o', library, here('evil.c')])
  const tools = ['sh', 'grep', 'sleep', 'cat'].map((name) => file(`bin/${name}`, program))
  const list: [string, Node] = ['etc/ld.so.preload', { kind: 'text', text: '/evil.so\n', mode: 0o644 }]
  return { shell: make('shell', tools), preload: make('preload', [file('evil.so', library), list]) }
}
