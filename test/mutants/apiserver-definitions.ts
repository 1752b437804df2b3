import type { Mutant } from './mutant.ts'

const definitions = ['local/apiserver/testing/definitions.test.ts']
const hostileDefinitions = ['local/apiserver/testing/hostile-definitions.test.ts']

/** Defects in the embedded API server, definitions: limits, and what follows from a change. */
export const mutants: readonly Mutant[] = [
  {
    name: 'steps of rules are not counted',
    file: 'local/apiserver/schema/cel-program.ts',
    find: 'if (steps > MAX_STEPS) throw exceeded',
    replace: 'if (steps < 0) throw exceeded',
    tests: hostileDefinitions,
    only: 'budget',
  },
  {
    name: 'checked values are not counted',
    file: 'local/apiserver/schema/validate-value.ts',
    find: 'if ((visits += 1) > MAX_VISITS)',
    replace: 'if ((visits += 1) < 0)',
    tests: hostileDefinitions,
    only: 'many schemas',
  },
  {
    name: 'filled defaults are not counted',
    file: 'local/apiserver/schema/structural-schema.ts',
    find: 'if (filled > MAX_FILLED) throw tooLarge(MAX_FILLED)',
    replace: 'if (filled < 0) throw tooLarge(MAX_FILLED)',
    tests: hostileDefinitions,
    only: 'many schemas',
  },
  {
    name: 'schemas of a definition may be nested without limit',
    file: 'local/apiserver/definitions/schema-size.ts',
    find: 'if (depth > MAX_DEPTH) return',
    replace: 'if (depth < 0) return',
    tests: hostileDefinitions,
    only: 'too deep',
  },
  {
    name: 'the number of definitions is not limited',
    file: 'local/apiserver/verbs/write.ts',
    find: "store.range(DEFINITIONS, '').length < MAX_DEFINITIONS",
    replace: "store.range(DEFINITIONS, '').length < 1_000_000",
    tests: hostileDefinitions,
    only: 'number of definitions',
  },
  {
    name: 'a deleted definition deletes the objects of a built-in kind of its name',
    file: 'local/apiserver/controllers/serve-definitions.ts',
    find: "if (kind?.custom !== true) return 'none'",
    replace: "if (kind === undefined) return 'none'",
    tests: definitions,
    only: 'built-in kind',
  },
  {
    name: 'objects can be created while their definition is deleted',
    file: 'local/apiserver/verbs/write.ts',
    find: 'if (kind.terminating === true)',
    replace: 'if (kind.replaced === undefined && kind.terminating === true)',
    tests: definitions,
    only: 'takes its objects',
  },
  {
    name: 'watches of a changed definition go on',
    file: 'local/apiserver/controllers/serve-definitions.ts',
    find: '    served.set(name, { key, abort })\n    before?.abort.abort()',
    replace: '    served.set(name, { key, abort })',
    tests: definitions,
    only: 'ends the watches',
  },
]
