import type { SelectedGrant } from '../../contract/tables.ts'

/** Subject and data of the events of a grant. */
export function toGrantEvent({ id, subject, namespace, server, server_uid: serverUid }: SelectedGrant) {
  return {
    subject: { namespace, kind: 'McpGrant', name: server, uid: id },
    data: { grantId: id, subject, server, serverUid },
  }
}
