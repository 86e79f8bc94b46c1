// Stands between a gateway that streams bodies both ways (Envoy's FULL_DUPLEX_STREAMED, which Istio asks for) and a picker
// that answers as if bodies came in pieces that it may leave alone: what the picker decides is passed on as it is, and
// every piece of a body that it leaves alone goes back as it came.
package main

import (
	"errors"
	"flag"
	"io"
	"log"
	"net"

	ext "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

type relay struct {
	ext.UnimplementedExternalProcessorServer
	picker ext.ExternalProcessorClient
}

func main() {
	listen := flag.String("listen", ":9002", "where the gateway asks")
	ask := flag.String("picker", "127.0.0.1:9012", "where the picker answers")
	flag.Parse()
	connection, err := grpc.NewClient(*ask, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	ext.RegisterExternalProcessorServer(server, &relay{picker: ext.NewExternalProcessorClient(connection)})
	log.Fatal(server.Serve(listener))
}

// Process relays one request and its answer. Each question has one reply of the picker, in order, except for trailers, which
// it ignores, and for headers before a body, which it answers once it has the whole body.
func (r *relay) Process(gateway ext.ExternalProcessor_ProcessServer) error {
	picker, err := r.picker.Process(gateway.Context())
	if err != nil {
		return err
	}
	var held []*ext.ProcessingResponse
	for {
		question, err := gateway.Recv()
		if errors.Is(err, io.EOF) || status.Code(err) == codes.Canceled {
			return picker.CloseSend()
		}
		if err != nil {
			return err
		}
		if reply := ofTrailers(question); reply != nil {
			if err := gateway.Send(reply); err != nil {
				return err
			}
			continue
		}
		if err := picker.Send(question); err != nil {
			return err
		}
		if headers := question.GetRequestHeaders(); headers != nil && !headers.EndOfStream {
			continue
		}
		if body := question.GetRequestBody(); body != nil {
			if !body.EndOfStream {
				if _, err := picker.Recv(); err != nil {
					return err
				}
				held = append(held, streamed(question))
				continue
			}
			decided, err := picker.Recv()
			if err != nil {
				return err
			}
			if err := gateway.Send(decided); err != nil {
				return err
			}
		}
		reply, err := picker.Recv()
		if err != nil {
			return err
		}
		if question.GetRequestBody() != nil || question.GetResponseBody() != nil {
			reply = streamed(question)
		}
		for _, each := range append(held, reply) {
			if err := gateway.Send(each); err != nil {
				return err
			}
		}
		held = nil
	}
}

// streamed sends a piece of a body on as it came.
func streamed(question *ext.ProcessingRequest) *ext.ProcessingResponse {
	body := question.GetRequestBody()
	if body == nil {
		body = question.GetResponseBody()
	}
	answer := &ext.BodyResponse{Response: &ext.CommonResponse{BodyMutation: &ext.BodyMutation{
		Mutation: &ext.BodyMutation_StreamedResponse{StreamedResponse: &ext.StreamedBodyResponse{
			Body: body.Body, EndOfStream: body.EndOfStream,
		}},
	}}}
	if question.GetRequestBody() != nil {
		return &ext.ProcessingResponse{Response: &ext.ProcessingResponse_RequestBody{RequestBody: answer}}
	}
	return &ext.ProcessingResponse{Response: &ext.ProcessingResponse_ResponseBody{ResponseBody: answer}}
}

func ofTrailers(question *ext.ProcessingRequest) *ext.ProcessingResponse {
	if question.GetRequestTrailers() != nil {
		return &ext.ProcessingResponse{Response: &ext.ProcessingResponse_RequestTrailers{
			RequestTrailers: &ext.TrailersResponse{},
		}}
	}
	if question.GetResponseTrailers() != nil {
		return &ext.ProcessingResponse{Response: &ext.ProcessingResponse_ResponseTrailers{
			ResponseTrailers: &ext.TrailersResponse{},
		}}
	}
	return nil
}
