/** The parts of the project's package.json that the published one takes over. */
export interface SourceManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** What the published package wants beside it. */
export interface Wanted {
  /** Packages that no bundle can hold, at the versions that were tested. */
  readonly dependencies: Readonly<Record<string, string>>
  /** Packages whose types its declarations show. */
  readonly typed: ReadonlySet<string>
  /** Path of the declarations that `import type` gets. */
  readonly types: string
}

/** The package.json of the published package. */
export function toManifest(source: SourceManifest, { dependencies, typed, types }: Wanted): object {
  const { name, version, description, license, engines, optionalDependencies } = source
  const known = { ...source.devDependencies, ...source.dependencies }
  const peers = [...typed].toSorted()
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { mesh: 'bin/mesh.mjs' },
    // A program, not a library: third parties get what they may use as an argument, and only its type by name.
    exports: { '.': { types }, './package.json': './package.json' },
    imports: { '#launcher/main.ts': './launcher/main.js' },
    // Node.js 20 starts `bin/mesh.mjs`, which goes on with the Node.js of the platform's optional package.
    engines,
    dependencies,
    optionalDependencies,
    // Optional: only who writes a plugin in TypeScript needs them, and running needs none.
    peerDependencies: Object.fromEntries(peers.map((peer) => [peer, known[peer]])),
    peerDependenciesMeta: Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
  }
}
