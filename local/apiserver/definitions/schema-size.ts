import { forbiddenField } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { junctorsOf, partsOf } from './schema-paths.ts'
import type { RawSchema, SubSchema } from './schema-paths.ts'

/** Schemas of one version, itself included. The largest published definitions have about 20,000. */
export const MAX_SCHEMAS = 50_000

/** Nesting of schemas. Published definitions have at most about 30 levels. */
export const MAX_DEPTH = 64

/** The cause of a schema that is too large or too deep: all later checks may recurse and visit each schema. */
export function sizeFaults(root: RawSchema, path: string): Cause[] {
  let level: SubSchema[] = [{ schema: root, path, role: 'property' }]
  let count = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return [forbiddenField(path, `schemas may be nested at most ${MAX_DEPTH} levels deep`)]
    count += level.length
    if (count > MAX_SCHEMAS) return [forbiddenField(path, `at most ${MAX_SCHEMAS} schemas are allowed per version`)]
    level = level.flatMap((each) => [...partsOf(each.schema, ''), ...junctorsOf(each.schema, '')])
  }
  return []
}
