import type { Mutant } from './mutant.ts'

const tests = ['core/host/third-party/integrity.test.ts']

/** Defects of the integrity of third-party plugins (ADR 0186). */
export const mutants: readonly Mutant[] = [
  {
    name: 'integrity: the second file of a package is not covered',
    file: 'core/host/third-party/package-files.ts',
    find: '      if (entry.isDirectory()) open.push(path)\n',
    replace: '      if (entry.isDirectory()) continue\n',
    tests,
    only: 'another hash',
  },
  {
    name: 'integrity: names of files are no part of it',
    file: 'core/host/third-party/package-files.ts',
    find: '  ${path}\\n`)',
    replace: '\\n`)',
    tests,
    only: 'another hash',
  },
  {
    name: 'integrity: files are hashed in the order of the folder',
    file: 'core/host/third-party/package-files.ts',
    find: '.toSorted(byBytes)',
    replace: '.toReversed()',
    tests,
    only: 'sha256sum computes it',
  },
  {
    name: 'integrity: links are passed over',
    file: 'core/host/third-party/package-files.ts',
    find: 'else if (!entry.isFile()) throw',
    replace: 'else if (entry.isBlockDevice()) throw',
    tests,
    only: 'links, pipes and names',
  },
  {
    name: 'integrity: a plugin imports what is not covered',
    file: 'core/host/third-party/verified-loads.ts',
    find: '? resolved : refuse(specifier.slice(0, 200))',
    replace: '? resolved : resolved',
    tests,
    only: 'loads nothing that',
  },
  {
    name: 'integrity: a file that has changed since the start is loaded',
    file: 'core/host/third-party/verified-loads.ts',
    find: '!== wanted)\n',
    replace: "=== '')\n",
    tests,
    only: 'changes after the start',
  },
  {
    name: 'integrity: migrations beside a file are run',
    file: 'core/host/third-party/third-party.ts',
    find: '    refuseOtherMigrations(from, covered, plugin)\n',
    replace: '',
    tests,
    only: 'that of one file',
  },
]
