/** The parts of the project's package.json that the published one takes over. */
export interface SourceManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

/** The package.json of the published package; `dependencies` are those that no bundle can hold, at the versions that were tested. */
export function toManifest(source: SourceManifest, dependencies: Readonly<Record<string, string>>): object {
  const { name, version, description, license, engines, optionalDependencies } = source
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { mesh: 'bin/mesh.mjs' },
    // A program, not a library: third parties get what they may use as an argument.
    exports: { './package.json': './package.json' },
    imports: { '#launcher/main.ts': './launcher/main.js' },
    // Node.js 20 starts `bin/mesh.mjs`, which goes on with the Node.js 24 of the platform's optional package.
    engines,
    dependencies,
    optionalDependencies,
  }
}
