/** Parts of the project's package.json copied to the published one. */
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

/** Additional parts of the published package. */
export interface Wanted {
  /** Packages that cannot be bundled, at their tested versions. */
  readonly dependencies: Readonly<Record<string, string>>
  readonly imports: Readonly<Record<string, string>>
  /** Packages whose types appear in its declarations. */
  readonly typed: ReadonlySet<string>
  /** Path of the declarations of the entry for plugins. */
  readonly types: string
}

/** Creates the package.json of the published package. */
export function toManifest(source: SourceManifest, { dependencies, imports, typed, types }: Wanted): object {
  const { name, version, description, license, engines, optionalDependencies } = source
  const known = { ...source.devDependencies, ...source.dependencies }
  const peers = [...typed].toSorted()
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { mesh: 'bin/mesh.mjs', meshctl: 'bin/meshctl.mjs' },
    // A program, not a library: third-party plugins import this entry only, which the host makes its own.
    exports: { './plugin': { types, default: './plugin.js' }, './package.json': './package.json' },
    imports,
    // `bin/start.mjs` runs on Node.js 20 and continues on the Node.js of the platform's optional package.
    engines,
    dependencies,
    optionalDependencies,
    // Optional: needed only to write a plugin in TypeScript, not to run.
    peerDependencies: Object.fromEntries(peers.map((peer) => [peer, known[peer]])),
    peerDependenciesMeta: Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
  }
}
