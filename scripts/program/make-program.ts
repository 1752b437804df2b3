import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { bundleLauncher, bundlePlatform } from '../images/bundle.ts'
import type { PlatformBundle } from '../images/bundle.ts'
import { bundleMeshctl } from '../meshctl/bundle-meshctl.ts'

// Manifests of the platform for the embedded API server, and data files that neighbouring code reads.
const data = '{core,plugins,local}/**/*.{json,yaml,mjs}'

// The manifest of a workspace package belongs to the sources: its code is bundled.
const isNoData = (path: string): boolean => /testdata|node_modules|(?:^|\/)package\.json$/.test(path)

/** How modules of a bundle find the launcher, which starts as its own process. */
export const programImports = { '#launcher/main.ts': './launcher/main.js' } as const

/** What meshctl.cjs imports for `meshctl dev`. */
const devEntry = 'local/dev/run-dev.ts'

/**
 * Writes the whole program, the embedded default included, as bundled JavaScript with its data files, in the layout of the sources. Returns the
 * metafiles of platform, meshctl and launcher.
 */
export async function makeProgram(
  root: string,
  folder: string,
  { further = [], ...more }: Omit<PlatformBundle, 'without'> = {},
): Promise<Metafile[]> {
  const bundles = [
    await bundlePlatform(root, folder, { ...more, further: [devEntry, ...further] }),
    await bundleMeshctl(root, join(folder, 'meshctl.cjs')),
    await bundleLauncher(root, join(folder, 'launcher', 'main.js')),
  ]
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true })
  for (const path of globSync(data, { cwd: root, exclude: isNoData })) cpSync(join(root, path), join(folder, path))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const manifest = { type: 'module', version, imports: programImports }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest)}\n`)
  return bundles
}
