import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'
import { makeAgentImage } from '../agent-image.ts'
import type { AgentImage } from '../agent-image.ts'
import { file } from '../../../scripts/images/tree.ts'
import type { Node } from '../../../scripts/images/tree.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A C compiler builds the preloaded library. Without one, the images contain the agent only. */
export const compiler = ['/usr/bin/cc', '/usr/bin/gcc'].find(existsSync)

/** Images whose agent runs as root if allowed: one with a shell and tools, one with a library preloaded into every process. */
export function makeEvilImages(t: Scope): { readonly shell: AgentImage; readonly preload: AgentImage } {
  const agent = new URL('evil-agent.mjs', import.meta.url)
  const make = (name: string, more: readonly [string, Node][]): AgentImage =>
    makeAgentImage(t, `evil-${name}`, agent, more)
  if (compiler === undefined) return { shell: make('shell', []), preload: make('preload', []) }
  const work = tempFolder('evil-images')
  t.after(work.remove)
  const [program, library] = [join(work.path, 'evil'), join(work.path, 'evil.so')]
  execFileSync(compiler, ['-o', program, here('evil.c')])
  execFileSync(compiler, ['-shared', '-fPIC', '-o', library, here('evil.c')])
  const tools = ['sh', 'grep', 'sleep', 'cat'].map((name) => file(`bin/${name}`, program))
  const list: [string, Node] = ['etc/ld.so.preload', { kind: 'text', text: '/evil.so\n', mode: 0o644 }]
  return { shell: make('shell', tools), preload: make('preload', [file('evil.so', library), list]) }
}
