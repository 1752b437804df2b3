/** Fields of chat messages that are no text of the conversation: names, types, addresses and encoded files. */
export const noTextFields: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'tool_use_id',
  'media_type',
  'signature',
  'url',
  'data',
  'file_data',
  'file_id',
  'format',
  'detail',
])
