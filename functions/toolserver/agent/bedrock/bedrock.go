// Package bedrock asks models over the Converse operation of Amazon Bedrock (API
// reference of Amazon Bedrock Runtime). The role needs bedrock:InvokeModel on the model,
// or on the inference profile and its models.
package bedrock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"governance.internal/functions/toolserver/agent/chat"
	"governance.internal/functions/toolserver/agent/endpoint"
)

// Model is a model, or an inference profile, in a region.
type Model struct {
	client *bedrockruntime.Client
	name   string
}

// Open prepares a model; it sends nothing. The URL is "" for the region's own endpoint.
// Each request is sent once: the caller decides whether to ask again.
func Open(name, url, region string, keys aws.CredentialsProvider, client *http.Client) *Model {
	o := bedrockruntime.Options{
		Region:      region,
		Credentials: keys,
		HTTPClient:  bounded{client},
		Retryer:     aws.NopRetryer{},
	}

	if url != "" {
		o.BaseEndpoint = aws.String(url)
	}
	return &Model{bedrockruntime.New(o), name}
}

// bounded cuts answers that are longer than any answer is; the SDK reads all of it.
type bounded struct{ client *http.Client }

// Do implements the SDK's HTTPClient.
func (b bounded) Do(req *http.Request) (*http.Response, error) {
	resp, err := b.client.Do(req)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, endpoint.MostAnswer), resp.Body}
	}
	return resp, err
}

// Complete implements chat.Model.
func (m *Model) Complete(ctx context.Context, r chat.Request) (chat.Answer, error) {
	input, err := m.request(r)
	if err != nil {
		return chat.Answer{}, err
	}
	out, err := m.client.Converse(ctx, input)
	if err != nil {
		return chat.Answer{}, failure(ctx, err)
	}
	return answerOf(out)
}

func (m *Model) request(r chat.Request) (*bedrockruntime.ConverseInput, error) {
	in := &bedrockruntime.ConverseInput{
		ModelId:         &m.name,
		System:          []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.System}},
		InferenceConfig: &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(r.MaxTokens))},
	}

	if len(r.Tools) > 0 {
		in.ToolConfig = &types.ToolConfiguration{}
	}

	for _, t := range r.Tools {
		schema, err := documentOf(t.Schema)
		if err != nil {
			return nil, err
		}
		in.ToolConfig.Tools = append(in.ToolConfig.Tools, &types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        &t.Name,
			Description: &t.Description,
			InputSchema: &types.ToolInputSchemaMemberJson{Value: schema},
		}})
	}

	for _, said := range r.Messages {
		blocks, err := blocksOf(said)
		if err != nil {
			return nil, err
		}
		in.Messages = append(in.Messages, types.Message{
			Role:    types.ConversationRole(said.Role),
			Content: blocks,
		})
	}

	return in, nil
}

func blocksOf(said chat.Message) (blocks []types.ContentBlock, err error) {
	for _, r := range said.Results {
		status := types.ToolResultStatusSuccess
		if r.Failed {
			status = types.ToolResultStatusError
		}
		blocks = append(blocks, &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{
			ToolUseId: &r.ID,
			Status:    status,
			Content:   []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: r.Text}},
		}})
	}

	if said.Text != "" {
		blocks = append(blocks, &types.ContentBlockMemberText{Value: said.Text})
	}

	for _, c := range said.Calls {
		input, err := documentOf([]byte(c.Arguments))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{
			ToolUseId: &c.ID,
			Name:      &c.Name,
			Input:     input,
		}})
	}

	return blocks, nil
}

func documentOf(text []byte) (document.Interface, error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, errors.New("a document is no JSON")
	}
	return document.NewLazyDocument(value), nil
}

var stops = map[types.StopReason]chat.Stop{
	types.StopReasonEndTurn: chat.Done, types.StopReasonStopSequence: chat.Done, types.StopReasonToolUse: chat.CallsTools,
	types.StopReasonGuardrailIntervened: chat.Refused, types.StopReasonContentFiltered: chat.Refused,
	types.StopReasonMaxTokens: chat.TooLong, types.StopReasonModelContextWindowExceeded: chat.ContextFull,
}

// answerOf reads an answer. Blocks of other kinds, such as reasoning, are left out.
func answerOf(out *bedrockruntime.ConverseOutput) (chat.Answer, error) {
	said, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok || said.Value.Role != types.ConversationRoleAssistant {
		return chat.Answer{}, errors.New("the answer is no message of Converse")
	}

	stop, known := stops[out.StopReason]
	if !known {
		return chat.Answer{}, fmt.Errorf("the answer ended with the reason %.40q", out.StopReason)
	}

	answer := chat.Answer{Message: chat.Message{Role: chat.Assistant}, Stop: stop}
	if u := out.Usage; u != nil {
		answer.Output = chat.Sum(int(aws.ToInt32(u.OutputTokens)))
		answer.Input = max(chat.Sum(int(aws.ToInt32(u.TotalTokens)))-answer.Output, chat.Sum(int(aws.ToInt32(u.InputTokens)))) // with those of the cache
	}

	for _, block := range said.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberText:
			answer.Message.Text += b.Value
		case *types.ContentBlockMemberToolUse:
			call, err := callOf(b.Value)
			if err != nil {
				return chat.Answer{}, err
			}
			answer.Message.Calls = append(answer.Message.Calls, call)
		}
	}

	return answer.Checked()
}

func callOf(b types.ToolUseBlock) (chat.Call, error) {
	arguments := []byte("{}")
	if b.Input != nil {
		var err error
		if arguments, err = b.Input.MarshalSmithyDocument(); err != nil {
			return chat.Call{}, errors.New("the arguments of a tool call cannot be read")
		}
	}

	return chat.Call{
		ID:        aws.ToString(b.ToolUseId),
		Name:      aws.ToString(b.Name),
		Arguments: string(arguments),
	}, nil
}

// failure marks the errors that a retry may fix: throttling, failures of the service, and
// broken connections.
func failure(ctx context.Context, err error) error {
	var answered *smithyhttp.ResponseError
	var unsent *smithyhttp.RequestSendError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unsent), errors.Is(err, io.ErrUnexpectedEOF):
		return &chat.Busy{Err: fmt.Errorf("the connection to the model failed: %w", err)}
	case !errors.As(err, &answered) || answered.HTTPStatusCode() == http.StatusOK:
		return fmt.Errorf("the answer is no answer of Converse: %w", err)
	}

	code := answered.HTTPStatusCode()
	err = fmt.Errorf("the model answered %d: %w", code, answered.Err)
	if code == http.StatusTooManyRequests ||
		code >= 500 ||
		code == http.StatusRequestTimeout {
		return &chat.Busy{
			After: endpoint.RetryAfter(answered.Response.Header, time.Now()),
			Err:   err,
		}
	}

	return err
}
