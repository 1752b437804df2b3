import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { fieldsOfDocument } from './response-fields.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Fields of the success responses of the OpenAPI document. */
export const declared = fieldsOfDocument(JSON.parse(read('../../../docs/reference/openapi.json')))

/** Fields that no test fills, each with its reason. */
export const unfilled: Readonly<Record<string, string>> = parse(read('unfilled.yaml')) ?? {}
