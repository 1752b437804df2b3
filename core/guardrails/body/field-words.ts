/** Keywords of model APIs and of JSON Schema: as the name or type of a field, they contain no text of a caller. */
const words = `
model messages role content name type text input output refusal audio image image_url input_audio input_text output_text input_image
video_url video file file_data file_id file_url filename url data detail format source media_type title context citations cache_control ttl
ephemeral document tool_calls tool_call_id tool_use tool_use_id tool_result tool_choice tools tool function functions function_call custom
arguments id index call_id is_error thinking thinking_signature redacted_thinking signature reasoning reasoning_content reasoning_effort
system instructions prompt max_tokens max_completion_tokens max_output_tokens budget_tokens temperature top_p top_k n stop stop_sequences
stream stream_options include_usage seed logprobs top_logprobs logit_bias presence_penalty frequency_penalty user user_id metadata store
service_tier safety_identifier prompt_cache_key verbosity modalities prediction response_format json_schema json_object json schema strict
parallel_tool_calls disable_parallel_tool_use output_config effort encoding_format dimensions truncation include summary base64 float
auto any none required enabled disabled adaptive minimal low medium high xhigh default flex priority standard_only 5m 1h
wav mp3 pcm16 image/png image/jpeg image/gif image/webp application/pdf text/plain
object string number integer boolean array null properties description parameters input_schema additionalProperties required enum const items
prefixItems anyOf allOf oneOf not default examples minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
minItems maxItems uniqueItems contains minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas if then
else $schema $id $ref $defs $comment definitions deprecated readOnly writeOnly nullable`

const known: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ''))

/** Whether a name or a type is a keyword of an API, so that a rule on words such as `system` does not stop every call. */
export function isFieldWord(text: string): boolean {
  return known.has(text)
}
