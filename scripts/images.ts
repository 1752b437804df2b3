import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundleLauncher, bundlePlatform, localParts } from './images/bundle.ts'
import { launcherImage, platformImage } from './images/images.ts'
import { skeleton } from './images/tree.ts'

// npm run images [-- --out DIR] [--tag TAG] [--registry NAME]: builds two archives for `docker load` or `ctr images import`. With --content
// DIR it writes the content for the Dockerfile instead, which needs neither Linux nor tini.
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/images' },
    tag: { type: 'string', default: 'dev' },
    registry: { type: 'string', default: 'mesh.local' },
    content: { type: 'string' },
    tini: { type: 'string', default: '/usr/bin/tini-static' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
if (values.content === undefined) await writeArchives()
else await writeContent(values.content)

async function writeArchives(): Promise<void> {
  if (process.platform !== 'linux')
    fail("Images are made of this machine's own Node.js and libraries, so this needs Linux.")
  if (!existsSync(values.tini))
    fail(`${values.tini} is missing: install Debian's package tini, or name a static tini with --tini.`)
  const work = mkdtempSync(join(tmpdir(), 'mesh-images-'))
  try {
    mkdirSync(values.out, { recursive: true })
    await writeBundles(work)
    const parts = { node: process.execPath, tini: values.tini, work }
    for (const [name, make] of [
      ['platform', platformImage],
      ['launcher', launcherImage],
    ] as const) {
      const ref = `${values.registry}/mesh-${name}:${values.tag}`
      const path = join(values.out, `mesh-${name}.tar`)
      console.log(`${ref} ${make(path, ref, parts)} ${path}`)
    }
  } finally {
    rmSync(work, { recursive: true })
  }
}

async function writeContent(folder: string): Promise<void> {
  await writeBundles(folder)
  for (const [path, node] of skeleton) {
    if (node.kind !== 'text') continue
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), node.text)
  }
}

async function writeBundles(folder: string): Promise<void> {
  await bundlePlatform(root, join(folder, 'platform'), { without: localParts })
  await bundleLauncher(root, join(folder, 'launcher.mjs'))
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
