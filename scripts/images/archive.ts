import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'
import type { Tree } from './tree.ts'

/** Container configuration of an image. */
export interface RunConfig {
  readonly entrypoint: readonly string[]
  readonly user: string
  readonly env?: Readonly<Record<string, string>>
  readonly workdir?: string
}

interface Blob {
  readonly digest: string
  readonly bytes: Buffer
}

const oci = 'application/vnd.oci.image'

/**
 * Writes an uncompressed image archive for both `docker load` and `ctr images import` (OCI layout 1.0 beside Docker's manifest.json). The
 * same trees result in the same digest. Returns the manifest's digest.
 */
export function writeImage(
  path: string,
  image: { ref: string; architecture: string; layers: readonly Tree[]; run: RunConfig },
): string {
  const layers = image.layers.map(toLayer)
  const config = json({
    architecture: image.architecture,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      Entrypoint: image.run.entrypoint,
      User: image.run.user,
      WorkingDir: image.run.workdir ?? '/',
      Env: Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...image.run.env }).map(
        ([name, value]) => `${name}=${value}`,
      ),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
  })
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${oci}.manifest.v1+json`,
    config: describe(config, `${oci}.config.v1+json`),
    layers: layers.map((layer) => describe(layer, `${oci}.layer.v1.tar`)),
  })
  const index = {
    schemaVersion: 2,
    mediaType: `${oci}.index.v1+json`,
    manifests: [
      {
        ...describe(manifest, `${oci}.manifest.v1+json`),
        platform: { architecture: image.architecture, os: 'linux' },
        annotations: {
          'io.containerd.image.name': image.ref,
          'org.opencontainers.image.ref.name': image.ref.split(':').at(-1),
        },
      },
    ],
  }
  const docker = [{ Config: blobPath(config), RepoTags: [image.ref], Layers: layers.map(blobPath) }]
  writeArchive(path, [
    ['oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}')],
    ...[...layers, config, manifest].map((blob): [string, Buffer] => [blobPath(blob), blob.bytes]),
    ['index.json', Buffer.from(JSON.stringify(index))],
    ['manifest.json', Buffer.from(JSON.stringify(docker))],
  ])
  return `sha256:${manifest.digest}`
}

function toLayer(tree: Tree): Blob {
  const parts: Buffer[] = []
  for (const [path, node] of tree) {
    if (node.kind === 'folder') parts.push(tarHeader({ path, kind: 'folder', mode: node.mode }))
    else if (node.kind === 'link') parts.push(tarHeader({ path, kind: 'link', mode: 0o777, target: node.target }))
    else {
      const body = node.kind === 'text' ? Buffer.from(node.text) : readFileSync(node.from)
      parts.push(tarHeader({ path, kind: 'file', mode: node.mode, size: body.length }), body, tarPadding(body.length))
    }
  }
  return toBlob(Buffer.concat([...parts, tarEnd()]))
}

function toBlob(bytes: Buffer): Blob {
  return { digest: createHash('sha256').update(bytes).digest('hex'), bytes }
}

function json(value: unknown): Blob {
  return toBlob(Buffer.from(JSON.stringify(value)))
}

function describe(blob: Blob, mediaType: string) {
  return { mediaType, digest: `sha256:${blob.digest}`, size: blob.bytes.length }
}

function blobPath(blob: Blob): string {
  return `blobs/sha256/${blob.digest}`
}

function writeArchive(path: string, files: readonly (readonly [string, Buffer])[]): void {
  const to = openSync(path, 'w')
  for (const [name, bytes] of files) {
    writeSync(to, tarHeader({ path: name, kind: 'file', mode: 0o644, size: bytes.length }))
    writeSync(to, bytes)
    writeSync(to, tarPadding(bytes.length))
  }
  writeSync(to, tarEnd())
  closeSync(to)
  if (statSync(path).size % 512 !== 0) throw new Error(`${path} was not written whole`)
}
