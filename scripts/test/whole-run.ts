import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from './report.ts'

/** The file that runs last in a whole run, with what the others noted. */
export const lastTest = 'test/contract/response-fields/filled.test.ts'

/** What a whole run notes about all of its processes. */
export interface Notes {
  /** Why the last file cannot judge the notes, or undefined if it can. */
  unfit(outcome: Outcome): string | undefined
  remove(): void
}

/** Lets each process of this run note the fields of responses that it checks, those of platforms and launchers included. */
export function noteFields(root: URL): Notes {
  const given = process.env.MESH_TEST_FIELDS
  const folder = given ?? mkdtempSync(join(tmpdir(), 'mesh-test-fields-'))
  mkdirSync(folder, { recursive: true })
  process.env.MESH_TEST_FIELDS = folder
  const preload = new URL('test/contract/response-fields/note-fields.mjs', root).href
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${preload}`.trim()
  return {
    unfit: ({ failed, skipped }) =>
      failed + skipped === 0 ? undefined : `${failed} tests failed and ${skipped} were skipped`,
    remove: () => {
      if (given === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
