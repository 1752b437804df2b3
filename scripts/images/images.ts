import { basename, join } from 'node:path'
import { writeImage } from './archive.ts'
import type { RunConfig } from './archive.ts'
import { file, folder, libraries, skeleton, toTree } from './tree.ts'
import type { Node } from './tree.ts'

/** Content of the images: programs from this machine, and a folder with the bundles. */
export interface Parts {
  readonly node: string
  readonly tini: string
  readonly work: string
}

const architecture = process.arch === 'x64' ? 'amd64' : process.arch
const unprivilegedUser = '65532:65532'

// A small young generation frees the buffers of pages early, and the heap may double before a full collection. V8 counts those buffers too. With its
// default limit, a few pages in progress repeatedly trigger a full collection, which takes half of a BFF's CPU.
const heap = ['--heap-growing-percent=100', '--no-memory-reducer', '--max-semi-space-size=4']

/** Container configuration of each image, as in the Dockerfile. */
export const runs = {
  platform: {
    entrypoint: ['/mesh/tini', '-g', '--', '/mesh/node', ...heap, '/app/main.js'],
    user: unprivilegedUser,
    workdir: '/app',
    env: { NODE_ENV: 'production' },
  },
  launcher: {
    entrypoint: ['/mesh/tini', '-g', '--', '/mesh/node', '--max-semi-space-size=4', '/mesh/launcher.mjs'],
    user: unprivilegedUser,
    env: { PATH: '/mesh:/usr/bin:/bin' },
  },
} as const satisfies Readonly<Record<string, RunConfig>>

/** The platform: every role of `mesh`, selected by the container's argument. Returns the digest. */
export function platformImage(path: string, ref: string, parts: Parts): string {
  const base = toTree([...skeleton, ...runtime(parts)])
  const command = file('usr/local/bin/mesh', join(import.meta.dirname, 'mesh'))
  const app = toTree([...folder('app', join(parts.work, 'platform')), command])
  return writeImage(path, { ref, architecture, layers: [base, app], run: runs.platform })
}

/**
 * The launcher: the only container of a declarative agent, the sidecar of every other agent, and the image of agents with only a command, which find
 * `node` on their PATH. Returns the digest.
 */
export function launcherImage(path: string, ref: string, parts: Parts): string {
  const base = toTree([...skeleton, ...runtime(parts)])
  const app = toTree([file('mesh/launcher.mjs', join(parts.work, 'launcher.mjs'), 0o644)])
  return writeImage(path, { ref, architecture, layers: [base, app], run: runs.launcher })
}

// All files are below /mesh; links are at the paths where programs expect the loader and the libraries.
function runtime(parts: Parts): [string, Node][] {
  const { entries, loader } = libraries('mesh/lib', parts.node)
  const own = loader.slice(1)
  return [
    file('mesh/node', parts.node),
    file('mesh/tini', parts.tini),
    ...entries,
    [own, { kind: 'link', target: `/mesh/lib/${basename(loader)}` }],
    ...entries
      .map(([path]) => basename(path))
      .filter((name) => name !== basename(loader))
      .map((name): [string, Node] => [`usr/lib/${name}`, { kind: 'link', target: `/mesh/lib/${name}` }]),
  ]
}
